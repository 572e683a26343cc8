/** Ten real clients sign in: those of the official SDKs, old and new, and of Tenon, each as another kind of client. */
import { expect, it } from 'vitest';
import { known, realClients } from '../../kit/auth-server/real-clients.ts';
import { startSignInServer } from '../../kit/auth-server/sign-in-server.ts';

it.each(Object.entries(realClients))('%s: signs in, calls, refreshes and calls again', async (_name, client) => {
  const server = await startSignInServer({ options: { clients: { known: [known] } } });
  const results = await client.run(server);
  for (const result of results) expect(JSON.stringify(result)).toContain('dev:ada');
  expect(server.events.filter(({ type }) => type === 'token-issued').length).toBe(2);
});
