/** Where the endpoints of a provider are: discovered by OpenID Connect, or set. */
import type { AuthorizationServer } from 'oauth4webapi';
import type { GuardedFetch } from '../../auth/client/guarded-fetch.ts';
import { objectIn } from '../../auth/client/guarded-fetch.ts';
import { isSecureUrl } from '../../auth/secure-url.ts';
import { isTexts } from '../../lib/options/option-rules.ts';
import type { SignInProvider } from '../providers/sign-in-provider.ts';
import { ProviderError, type ProviderFailure, Refusal } from './provider-error.ts';
import { titleOf } from './refusals.ts';

/**
 * How long discovered endpoints of a provider are used.
 * @limit auth-server
 * @beyond they are discovered again
 */
const metadataMs = 60 * 60 * 1000;

const wellKnown = '/.well-known/openid-configuration';

/** Returns the metadata; requests that come together share one discovery, and a failed one is not remembered. */
export function createMetadata(
  provider: SignInProvider,
  send: GuardedFetch,
  now: () => number,
): () => Promise<AuthorizationServer> {
  const { issuer, endpoints } = provider;
  let found: { readonly metadata: Promise<AuthorizationServer>; readonly until: number } | undefined;
  return async () => {
    if (issuer === undefined) return metadataOf(endpoints as NonNullable<typeof endpoints>);
    if (found === undefined || found.until <= now()) {
      const metadata = discover(provider, issuer, send);
      found = { metadata, until: now() + metadataMs };
      metadata.catch(() => {
        if (found?.metadata === metadata) found = undefined;
      });
    }
    return found.metadata;
  };
}

const metadataOf = ({ authorization, token, revocation }: NonNullable<SignInProvider['endpoints']>) => ({
  issuer: new URL(authorization).origin,
  authorization_endpoint: authorization,
  token_endpoint: token,
  token_endpoint_auth_methods_supported: ['client_secret_post'],
  ...(revocation !== undefined && { revocation_endpoint: revocation }),
});

async function discover(provider: SignInProvider, issuer: string, send: GuardedFetch): Promise<AuthorizationServer> {
  const url = `${issuer.replace(/\/$/, '')}${wellKnown}`;
  const response = await send(url, { headers: { accept: 'application/json' } });
  const { status } = response;
  if (status === 429 || status >= 500) throw new Refusal(status, `status ${status}`);
  const document = status === 200 ? await objectIn(response) : undefined;
  const wrong = (text: string, reason: string): ProviderError => {
    const failure: ProviderFailure = { step: 'discovery', url, status, reason };
    return new ProviderError('misconfigured', text, failure);
  };
  const title = titleOf(provider);
  if (document === undefined)
    throw wrong(`${title} has no OpenID Connect configuration at ${url}. Check issuer.`, 'no JSON object');
  if (document.issuer !== issuer)
    throw wrong(`The issuer of ${title} is ${document.issuer}, not ${issuer}. Check issuer.`, 'another issuer');
  const problem = problemOf(document);
  if (problem !== undefined) throw wrong(`The OpenID Connect configuration of ${title} is not valid.`, problem);
  return document as unknown as AuthorizationServer;
}

function problemOf(document: Readonly<Record<string, unknown>>): string | undefined {
  for (const name of ['authorization_endpoint', 'token_endpoint'])
    if (!isSecureUrl(document[name])) return `${name} is not an https URL`;
  for (const name of ['userinfo_endpoint', 'revocation_endpoint'])
    if (document[name] !== undefined && !isSecureUrl(document[name])) return `${name} is not an https URL`;
  for (const name of [
    'scopes_supported',
    'token_endpoint_auth_methods_supported',
    'id_token_signing_alg_values_supported',
  ])
    if (document[name] !== undefined && !isTexts(document[name])) return `${name} is not a list of texts`;
  return undefined;
}
