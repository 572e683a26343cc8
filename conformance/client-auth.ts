/** How the client of the official suite signs in: its authorization servers redirect at once. */

import { importPKCS8 } from 'jose';
import {
  clientCredentials,
  enterpriseManaged,
  type Grant,
  type OAuth,
  type OAuthClient,
  oauth,
  type SignIn,
  workloadIdentity,
} from 'tenon/auth';
import { memoryCredentials } from '../src/store/parts/memory-credentials.ts';

/** Reads where the authorization server redirects to, in place of a person with a browser. */
const signIn: SignIn = {
  async prepare() {
    return {
      redirectUri: 'http://localhost:3000/callback',
      async authorize(url, signal) {
        const { headers } = await fetch(url, { redirect: 'manual', signal });
        return new URL(headers.get('location') ?? '', url);
      },
      async close() {},
    };
  },
};

/** What the client gets from the suite. */
type Context = Readonly<Record<string, string | undefined>>;

/** The suite has one issuer for each server, and names it there alone: an author knows who gave out a secret. */
async function issuerOf(url: string): Promise<string | undefined> {
  const { origin, pathname } = new URL(url);
  const answer = await fetch(`${origin}/.well-known/oauth-protected-resource${pathname}`);
  return ((await answer.json()) as { readonly authorization_servers?: readonly string[] }).authorization_servers?.[0];
}

/** The client that is registered at the authorization server, if there is one. */
async function clientIn(context: Context, url: string): Promise<OAuthClient | undefined> {
  const { client_id: clientId, client_secret: clientSecret, private_key_pem: pem } = context;
  if (clientId === undefined) return undefined;
  const issuer = context.issuer ?? (clientSecret === undefined ? undefined : await issuerOf(url));
  const privateKey = pem === undefined ? undefined : await importPKCS8(pem, context.signing_algorithm ?? '');
  return {
    clientId,
    ...(clientSecret !== undefined && { clientSecret }),
    ...(privateKey !== undefined && { privateKey }),
    ...(issuer !== undefined && { issuer }),
  };
}

/** The grants of the scenarios that are not about people. */
const grants: Readonly<Record<string, (context: Context) => Grant>> = {
  'auth/client-credentials-jwt': () => clientCredentials(),
  'auth/client-credentials-basic': () => clientCredentials(),
  'auth/wif-jwt-bearer': ({ valid_jwt: assertion = '' }) => workloadIdentity({ assertion }),
  'auth/enterprise-managed-authorization': (context) =>
    enterpriseManaged({
      idpIssuer: context.idp_issuer ?? '',
      idpClient: { clientId: context.idp_client_id ?? '' },
      idToken: context.idp_id_token ?? '',
    }),
};

export async function authFor(scenario: string, given: Record<string, unknown>, url: string): Promise<OAuth> {
  const context = given as Context;
  const client = await clientIn(context, url);
  const grant = grants[scenario]?.(context);
  return oauth({
    signIn,
    store: memoryCredentials(),
    clientMetadataUrl: 'https://conformance-test.local/client-metadata.json',
    clientMetadata: { name: 'Tenon conformance client' },
    explain: ({ step, url, status, found }) => console.error(`${step} ${url ?? ''} ${status ?? ''} ${found}`),
    ...(client !== undefined && { client }),
    ...(grant !== undefined && { grant }),
  });
}
