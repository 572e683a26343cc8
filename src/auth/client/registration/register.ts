/** Registers a client at an authorization server: RFC 7591. */
import type { AuthorizationServer } from 'oauth4webapi';
import type { Discovery } from '../discovery/documents.ts';
import { objectIn } from '../guarded-fetch.ts';
import { type OAuthClient, type TokenEndpointAuthMethod, tokenEndpointAuthMethods } from './client.ts';
import { type DescribedClient, type DescribedMetadata, describeClient } from './metadata.ts';

/** A registered client, as it is stored. */
export interface RegisteredClient extends OAuthClient {
  readonly redirectUris: readonly string[];
  readonly grantTypes: readonly string[];
  /** When the secret expires. Default never. */
  readonly expiresAt?: number;
}

export interface RegistrationOptions {
  readonly server: AuthorizationServer;
  readonly metadata: DescribedMetadata;
  readonly redirectUris: readonly string[];
  readonly grantTypes: readonly string[];
}

/** The body of a registration request. */
export function registrationRequest({
  server,
  metadata,
  redirectUris,
  grantTypes,
}: RegistrationOptions): DescribedClient {
  const supported = server.token_endpoint_auth_methods_supported;
  const method = (['none', 'client_secret_basic', 'client_secret_post'] as const).find(
    (one) => supported === undefined || supported.includes(one),
  );
  return describeClient(metadata, redirectUris, grantTypes, method ?? 'none');
}

/** The client in a response, or what is wrong with it. */
export function readRegistration(
  { server, redirectUris, grantTypes }: RegistrationOptions,
  document: Record<string, unknown>,
): RegisteredClient | { readonly problem: string } {
  const { client_id: clientId, client_secret: secret, client_secret_expires_at: expires } = document;
  if (typeof clientId !== 'string' || clientId === '') return { problem: 'The response has no client_id.' };
  const method = document.token_endpoint_auth_method;
  return {
    clientId,
    redirectUris,
    grantTypes,
    issuer: server.issuer,
    ...(typeof secret === 'string' && secret !== '' && { clientSecret: secret }),
    ...(tokenEndpointAuthMethods.includes(method as TokenEndpointAuthMethod) && {
      authMethod: method as TokenEndpointAuthMethod,
    }),
    ...(typeof expires === 'number' && expires > 0 && { expiresAt: expires * 1000 }),
  };
}

const hints: Readonly<Record<string, string>> = {
  invalid_redirect_uri:
    'The server does not accept the redirect address: use one that it does, or register the client by hand and pass client.',
  invalid_client_metadata: 'Register the client by hand at the authorization server and pass client: { clientId }.',
};

const byHand = 'Register the client by hand and pass client: { clientId }.';
const nothingThere = `The server may publish no metadata (RFC 9728) that names its authorization server. ${byHand}`;

/** Rejects with the reason of the server. */
export async function register(discovery: Discovery, options: RegistrationOptions): Promise<RegisteredClient> {
  const { fetch, steps, signal } = discovery;
  const url = options.server.registration_endpoint ?? '';
  const step = 'registration';
  const rule = 'RFC 7591, 3: dynamic client registration';
  const headers = { 'content-type': 'application/json', accept: 'application/json' };
  const body = JSON.stringify(registrationRequest(options));
  const response = await fetch(url, { method: 'POST', headers, body, signal }).catch((error: Error) => {
    if (signal.aborted) throw error;
    throw steps.failure({ step, url, found: error.message, rule, hint: 'Try again later, or pass client.' });
  });
  const { status } = response;
  const document = (await objectIn(response)) ?? {};
  if (!response.ok) {
    const { error, error_description: description } = document;
    const reason = typeof error === 'string' ? `It answered ${status}, ${error}` : `It answered ${status}`;
    const found = typeof description === 'string' ? `${reason}: ${description}` : `${reason}.`;
    const hint = status === 404 ? nothingThere : (hints[String(error)] ?? byHand);
    throw steps.failure({ step, url, status, found, rule, hint });
  }
  const read = readRegistration(options, document);
  if ('problem' in read)
    throw steps.failure({ step, url, status, found: String(read.problem), rule, hint: 'Pass client: { clientId }.' });
  steps.add({ step, url, status, found: `The client is ${read.clientId}.`, rule, next: 'request a token' });
  return read;
}
