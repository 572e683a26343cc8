/** Ten real clients sign in: those of the official SDKs, old and new, and of Tenon, each as another kind of client. */
import { expect, it } from 'vitest';
import { officialV1, officialV2, type RealClient, tenon } from '../../kit/auth-server/real-clients.ts';
import { redirectUri, startSignInServer } from '../../kit/auth-server/sign-in-server.ts';

const known = { clientId: 'cli', name: 'CLI', redirectUris: [redirectUri], clientSecret: 'k'.repeat(32) };

const secret = { client_id: known.clientId, client_secret: known.clientSecret };

const clients: Readonly<Record<string, RealClient>> = {
  'official v1, registers itself': officialV1('none'),
  'official v1, registers with a secret in the body': officialV1('client_secret_post'),
  'official v1, registers with a secret in the header': officialV1('client_secret_basic'),
  'official v1, known': officialV1('client_secret_post', secret),
  'official v2, sessions, registers itself': officialV2('legacy', 'none'),
  'official v2, newest revision, registers itself': officialV2('auto', 'none'),
  'official v2, registers with a secret': officialV2('auto', 'client_secret_basic'),
  'official v2, known': officialV2('auto', 'client_secret_post', secret),
  'Tenon, registers itself': tenon(),
  'Tenon, known': tenon({ clientId: known.clientId, clientSecret: known.clientSecret }),
};

it.each(Object.entries(clients))('%s: signs in, calls, refreshes and calls again', async (_name, client) => {
  const server = await startSignInServer({ options: { clients: { known: [known] } } });
  const results = await client.run(server);
  for (const result of results) expect(JSON.stringify(result)).toContain('dev:ada');
  expect(server.events.filter(({ type }) => type === 'token-issued').length).toBe(2);
});
