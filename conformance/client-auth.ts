/** How the client of the official suite signs in: its authorization servers redirect at once. */

import { type OAuth, type OAuthOptions, oauth, type SignIn } from 'tenon/auth';
import { memoryCredentials } from 'tenon/store';

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

/** The options of a scenario. `context` is from the suite. */
function optionsFor(
  _scenario: string,
  { client_id: clientId, client_secret: clientSecret, issuer }: Record<string, unknown>,
): OAuthOptions {
  if (typeof clientId !== 'string' || typeof clientSecret !== 'string') return {};
  return { client: { clientId, clientSecret, ...(typeof issuer === 'string' && { issuer }) } };
}

export const authFor = (scenario: string, context: Record<string, unknown>): OAuth =>
  oauth({
    signIn,
    store: memoryCredentials(),
    clientMetadataUrl: 'https://conformance-test.local/client-metadata.json',
    clientMetadata: { name: 'Tenon conformance client' },
    explain: ({ step, url, status, found }) => console.error(`${step} ${url ?? ''} ${status ?? ''} ${found}`),
    ...optionsFor(scenario, context),
  });
