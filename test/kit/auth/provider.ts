/** A sign-in provider for tests: the development authorization server with quirks, and the client of an authorization server at it. */
import { type DevAuthEvent, type DevAuthOptions, startDevAuthServer } from 'tenon/dev-auth';
import { onTestFinished } from 'vitest';
import { createProviderClient } from '../../../src/auth-server/provider-client/create-provider-client.ts';
import type { ProviderClient, SignedIn } from '../../../src/auth-server/provider-client/provider-client.ts';
import type { SignInProvider } from '../../../src/auth-server/providers/sign-in-provider.ts';

export const callbackUrl = 'http://127.0.0.1:5998/callback';

/** The client that the provider knows. */
export const credentials = { clientId: 'tenon', clientSecret: 'planted-secret-of-the-client' };

export interface TestedProvider {
  readonly issuer: string;
  readonly events: readonly DevAuthEvent[];
  /** The client of a provider, whose issuer is set to that of the server if it has one. */
  client(provider: SignInProvider, settings?: Partial<Parameters<typeof createProviderClient>[1]>): ProviderClient;
  /** The callback of a sign-in in which the user allows everything. */
  callback(url: URL, user?: string): Promise<URL>;
  signIn(client: ProviderClient, user?: string): Promise<SignedIn>;
}

/** Starts a provider that the test closes. */
export async function startProvider(options: DevAuthOptions = {}): Promise<TestedProvider> {
  const registered = { client_id: credentials.clientId, client_secret: credentials.clientSecret, client_name: 'Tenon' };
  const events: DevAuthEvent[] = [];
  const server = await startDevAuthServer({
    onAnnounce: () => {},
    onEvent: (event) => void events.push(event),
    clients: [{ ...registered, redirect_uris: [callbackUrl] }],
    ...options,
  });
  onTestFinished(() => server.close());
  const callback = (url: URL, user?: string) => server.signIn(url, user === undefined ? {} : { user });
  return {
    issuer: server.issuer,
    events,
    client: (provider, settings = {}) =>
      createProviderClient(provider.issuer === undefined ? provider : { ...provider, issuer: server.issuer }, {
        callbackUrl,
        timeoutMs: 10_000,
        ...settings,
      }),
    callback,
    async signIn(client, user) {
      const { url, pending } = await client.begin();
      return client.complete(await callback(url, user), pending);
    },
  };
}
