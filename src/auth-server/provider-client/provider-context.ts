/** What all requests to one provider share: its metadata, the client and how it authenticates, and errors without secrets. */
import * as oauth from 'oauth4webapi';
import { createGuardedFetch, type GuardedFetch, objectIn } from '../../auth/client/guarded-fetch.ts';
import { authenticationOf, methodsOf } from '../../auth/client/registration/client.ts';
import { isFilledString } from '../../lib/values/is.ts';
import type { SignInProvider } from '../providers/sign-in-provider.ts';
import type { ProviderClientSettings } from './provider-client.ts';
import { type ProviderStep, Refusal } from './provider-error.ts';
import { createMetadata } from './provider-metadata.ts';
import { type Named, providerErrorOf } from './refusals.ts';

export interface ProviderContext extends Named {
  readonly isOpenId: boolean;
  readonly client: oauth.Client;
  readonly send: GuardedFetch;
  readonly now: () => number;
  /** What the token endpoint is called with: an error answer rejects with a `Refusal`. */
  readonly options: {
    readonly [oauth.customFetch]: GuardedFetch;
    readonly [oauth.allowInsecureRequests]: boolean;
  };
  metadata(): Promise<oauth.AuthorizationServer>;
  authentication(server: oauth.AuthorizationServer): oauth.ClientAuth;
  /** Runs a step. Rejects with a `ProviderError` that has none of the secrets. */
  at<T>(step: ProviderStep, secrets: readonly (string | undefined)[], run: () => Promise<T>): Promise<T>;
}

export function createContext(provider: SignInProvider, settings: ProviderClientSettings): ProviderContext {
  const { callbackUrl, now = Date.now } = settings;
  const { clientId, clientSecret, issuer } = provider;
  const send = createProviderFetch(settings);
  const discovered = createMetadata(provider, send, now);
  const at: ProviderContext['at'] = async (step, secrets, run) => {
    try {
      return await run();
    } catch (error) {
      throw providerErrorOf({ provider, callbackUrl }, error, { step }, secrets);
    }
  };
  return {
    provider,
    callbackUrl,
    isOpenId: issuer !== undefined,
    client: { client_id: clientId },
    send,
    now,
    // The guarded fetch refuses http beyond this machine.
    options: { [oauth.customFetch]: refusing(send), [oauth.allowInsecureRequests]: true },
    metadata: () => at('discovery', [], discovered),
    authentication(server) {
      const [first = 'client_secret_basic'] = methodsOf({ clientId, clientSecret }, server);
      // In the body, nothing depends on how a server decodes the header.
      const isPost = server.token_endpoint_auth_methods_supported?.includes('client_secret_post') === true;
      return authenticationOf({ clientId, clientSecret }, isPost ? 'client_secret_post' : first);
    },
    at,
  };
}

/** Only a server on this machine may have a provider without TLS, or one on this machine. */
const createProviderFetch = ({ callbackUrl, timeoutMs, fetch }: ProviderClientSettings): GuardedFetch =>
  createGuardedFetch({
    fetch: fetch ?? ((url, init) => globalThis.fetch(url, init)),
    timeoutMs,
    serverUrl: callbackUrl,
  });

/** The same for the token endpoint: rejects with a `Refusal`. GitHub sends its errors with 200. */
const refusing =
  (send: GuardedFetch): GuardedFetch =>
  async (url, init) => {
    const response = await send(url, init);
    const { status } = response;
    const { error, error_description: description } = (await objectIn(response.clone())) ?? {};
    if (response.ok && typeof error !== 'string') return response;
    const code = isFilledString(error) ? error : status === 401 ? 'invalid_client' : `status ${status}`;
    throw new Refusal(status, code, isFilledString(description) ? description : '');
  };
