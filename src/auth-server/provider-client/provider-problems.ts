/** Finds wrong settings without a user: discovery, the secret by a code that cannot exist, callback and scopes by a request without cookies. */
import * as oauth from 'oauth4webapi';
import { RedirectedError } from '../../auth/client/guarded-fetch.ts';
import { authorizationRequest } from './authorization-request.ts';
import type { ProviderProblem } from './provider-client.ts';
import type { ProviderContext } from './provider-context.ts';
import { ProviderError, Refusal } from './provider-error.ts';
import { providerErrorOf, sentences, titleOf } from './refusals.ts';

/** Errors that say that the code is wrong, and so that the client and its secret are right. */
const aboutTheCode = new Set(['invalid_grant', 'bad_verification_code']);

/** Errors of a provider that would ask the user something first. */
const aboutTheUser = new Set(['access_denied', 'login_required', 'consent_required', 'interaction_required']);

export async function findProblems(context: ProviderContext): Promise<readonly ProviderProblem[]> {
  try {
    const server = await context.metadata();
    const found = await Promise.all([secretProblem(context, server), requestProblem(context, server)]);
    return found.filter((problem) => problem !== undefined);
  } catch (error) {
    const { code, message } = error as ProviderError;
    if (!(error instanceof ProviderError)) throw error;
    return [{ setting: code === 'unreachable' ? 'provider' : 'issuer', text: message }];
  }
}

async function secretProblem(
  context: ProviderContext,
  server: oauth.AuthorizationServer,
): Promise<ProviderProblem | undefined> {
  const { callbackUrl, client, options } = context;
  const state = oauth.generateRandomState();
  const callback = new URL(callbackUrl);
  callback.search = new URLSearchParams({ state, code: 'tenon-doctor', iss: server.issuer }).toString();
  const parameters = oauth.validateAuthResponse(server, client, callback, state);
  const verifier = oauth.generateRandomCodeVerifier();
  try {
    const auth = context.authentication(server);
    await oauth.authorizationCodeGrantRequest(server, client, auth, parameters, callbackUrl, verifier, options);
    return undefined;
  } catch (error) {
    if (error instanceof Refusal && aboutTheCode.has(error.error)) return undefined;
    const { code, message } = providerErrorOf(context, error, { step: 'token' }, [verifier]);
    const isCallback = message.includes('callback');
    return { setting: code === 'unreachable' ? 'provider' : isCallback ? 'callback' : 'client', text: message };
  }
}

/**
 * The request that users are sent with. A provider that does not know the callback shows an error page instead of its
 * sign-in; one that knows it redirects there with what else is wrong.
 */
async function requestProblem(
  context: ProviderContext,
  server: oauth.AuthorizationServer,
): Promise<ProviderProblem | undefined> {
  const { provider, callbackUrl, send } = context;
  const { url } = await authorizationRequest(context, server);
  const response = await send(url.href, { headers: { accept: 'text/html' } }).catch((error: unknown) => error);
  const refusal = response instanceof RedirectedError ? refusalIn(response.location, callbackUrl) : undefined;
  if (refusal !== undefined) {
    const { code, message } = providerErrorOf(context, refusal, { step: 'callback' });
    return { setting: code === 'unreachable' ? 'provider' : 'request', text: message };
  }
  if (!(response instanceof Response)) return undefined;
  if (response.status < 400 || response.status >= 500 || response.status === 429) return undefined;
  const page = (await response.text()).replace(/\s+/g, ' ');
  const isCallback = /redirect|callback|reply (url|address)/i.test(page);
  return isCallback
    ? {
        setting: 'callback',
        text: sentences(
          `${titleOf(provider)} refused the callback address. Register ${callbackUrl} as its callback URL.`,
          provider.settings?.callback,
        ),
      }
    : {
        setting: 'client',
        text: sentences(
          `${titleOf(provider)} refused the sign-in request (${response.status}). Check clientId, scopes and the callback ${callbackUrl}.`,
          provider.settings?.client,
        ),
      };
}

/** The error that a redirect to the callback names. That no user is signed in is none. */
function refusalIn(location: string, callbackUrl: string): Refusal | undefined {
  if (!location.startsWith(callbackUrl) || !URL.canParse(location)) return undefined;
  const { searchParams } = new URL(location);
  const error = searchParams.get('error');
  if (error === null || aboutTheUser.has(error)) return undefined;
  return new Refusal(undefined, error, searchParams.get('error_description') ?? '');
}
