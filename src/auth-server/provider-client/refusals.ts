/** Turns what went wrong at the provider into a `ProviderError` that names the wrong setting. */
import * as oauth from 'oauth4webapi';
import { UnreachableError } from '../../auth/client/guarded-fetch.ts';
import { escapeControls } from '../../lib/text/control-characters.ts';
import type { SignInProvider } from '../providers/sign-in-provider.ts';
import { isTemporary, ProviderError, type ProviderErrorCode, type ProviderFailure, Refusal } from './provider-error.ts';

/** What every message may name. */
export interface Named {
  readonly provider: SignInProvider;
  readonly callbackUrl: string;
}

const maxChars = 300;

export const titleOf = ({ title, name }: SignInProvider): string => title ?? name;

/** Sentences, the missing ones left out. */
export const sentences = (...all: readonly (string | undefined)[]): string =>
  all.filter((one) => one !== undefined && one !== '').join(' ');

/** Text of the provider, which may quote what was sent to it. */
export function quoted(text: string, secrets: readonly (string | undefined)[]): string {
  let safe = text;
  for (const secret of secrets)
    if (secret) safe = safe.replaceAll(secret, '…').replaceAll(encodeURIComponent(secret), '…');
  return escapeControls(safe.slice(0, maxChars));
}

/** The error for whatever a step threw. `secrets` never appear in it. */
export function providerErrorOf(
  named: Named,
  error: unknown,
  at: Pick<ProviderFailure, 'step'> & { readonly url?: string | undefined },
  secrets: readonly (string | undefined)[] = [],
): ProviderError {
  if (error instanceof ProviderError) return error;
  const title = titleOf(named.provider);
  const all = [...secrets, named.provider.clientSecret];
  const place = { step: at.step, ...(at.url !== undefined && { url: at.url }) };
  if (error instanceof Refusal) return refused(named, error, place, all);
  const reason = quoted(error instanceof Error ? error.message : String(error), all);
  if (error instanceof UnreachableError)
    return new ProviderError('unreachable', `${title} cannot be reached. Try again later.`, { ...place, reason });
  if (at.step === 'callback')
    return new ProviderError(
      'invalid-response',
      `The response of ${title} does not belong to this sign-in. Start again in your application.`,
      { ...place, reason },
    );
  const text = `${title} sent an answer that is not valid. The log of the server says why.`;
  return new ProviderError('invalid-response', text, { ...place, reason });
}

interface Meaning {
  readonly code: ProviderErrorCode;
  readonly text: string;
}

function refused(
  named: Named,
  refusal: Refusal,
  at: Pick<ProviderFailure, 'step'> & { readonly url?: string },
  secrets: readonly (string | undefined)[],
): ProviderError {
  const { status, error, description } = refusal;
  const { code, text } = meaningOf(named, refusal, at.step);
  return new ProviderError(code, text, {
    ...at,
    ...(status !== undefined && { status }),
    error: quoted(error, secrets),
    ...(description !== '' && { description: quoted(description, secrets) }),
  });
}

/** The codes of RFC 6749, and those of GitHub. */
function meaningOf({ provider, callbackUrl }: Named, refusal: Refusal, step: ProviderFailure['step']): Meaning {
  const title = titleOf(provider);
  const { settings = {} } = provider;
  const { error, description } = refusal;
  const wrong = (text: string, ...hints: (string | undefined)[]): Meaning => ({
    code: 'misconfigured',
    text: sentences(text, ...hints),
  });
  if (isTemporary(refusal)) return { code: 'unreachable', text: `${title} cannot answer now. Try again later.` };
  const isAboutCallback = error === 'redirect_uri_mismatch' || /redirect[ _]?uri/i.test(description);
  if (isAboutCallback)
    return wrong(
      `${title} refused the callback address. Register ${callbackUrl} as its callback URL.`,
      settings.callback,
    );
  switch (error) {
    case 'access_denied':
      return {
        code: 'denied',
        text: description === '' ? `The sign-in at ${title} was not allowed.` : deniedText(title, settings.access),
      };
    case 'invalid_client':
    case 'incorrect_client_credentials':
      return wrong(`${title} refused the client ID or its secret. Check clientId and clientSecret.`, settings.client);
    case 'invalid_grant':
    case 'bad_verification_code':
    case 'bad_refresh_token':
      return step === 'refresh'
        ? { code: 'revoked', text: `The sign-in at ${title} has ended. Sign in again.` }
        : { code: 'invalid-response', text: `${title} refused the code: it was used or has expired. Start again.` };
    case 'invalid_scope':
      return wrong(`${title} refused the scopes${named(provider.scopes)}. Set scopes to those that it knows.`);
    case 'unauthorized_client':
    case 'unsupported_response_type':
    case 'unsupported_grant_type':
      return wrong(
        `${title} does not allow this client to sign users in with codes. Enable the authorization code grant.`,
      );
    default:
      return step === 'callback'
        ? { code: 'denied', text: `${title} ended the sign-in with an error. Start again in your application.` }
        : wrong(`${title} refused the request. The log of the server says why.`);
  }
}

const named = (scopes: readonly string[] = []): string => scopes.map((scope) => ` ${scope}`).join('');

const deniedText = (title: string, access: string | undefined): string =>
  sentences(`The sign-in at ${title} was not allowed.`, access && `If a policy refused it: ${access}`);

/** What oauth4webapi says about the parameters of a callback. */
export const refusalOfCallback = (error: unknown): unknown =>
  error instanceof oauth.AuthorizationResponseError
    ? new Refusal(undefined, error.error, error.error_description)
    : error;
