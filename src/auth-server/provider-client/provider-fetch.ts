/** Requests to the provider: bounded; error answers of the token endpoint become a `Refusal`. */
import { createGuardedFetch, type GuardedFetch, objectIn } from '../../auth/client/guarded-fetch.ts';
import { isFilledString } from '../../lib/values/is.ts';
import type { ProviderClientSettings } from './provider-client.ts';
import { Refusal } from './provider-error.ts';

/** Only a server on this machine may have a provider without TLS, or one on this machine. */
export const createProviderFetch = ({ callbackUrl, timeoutMs, fetch }: ProviderClientSettings): GuardedFetch =>
  createGuardedFetch({
    fetch: fetch ?? ((url, init) => globalThis.fetch(url, init)),
    timeoutMs,
    serverUrl: callbackUrl,
  });

/** The same for the token endpoint: rejects with a `Refusal`. GitHub sends its errors with 200. */
export const refusing =
  (send: GuardedFetch): GuardedFetch =>
  async (url, init) => {
    const response = await send(url, init);
    const { status } = response;
    const { error, error_description: description } = (await objectIn(response.clone())) ?? {};
    if (response.ok && typeof error !== 'string') return response;
    const code = isFilledString(error) ? error : status === 401 ? 'invalid_client' : `status ${status}`;
    throw new Refusal(status, code, isFilledString(description) ? description : '');
  };
