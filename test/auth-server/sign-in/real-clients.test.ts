/** Ten real clients sign in: those of the official SDKs, old and new, and of Tenon, each as another kind of client. */
import { expect, it } from 'vitest';
import { withDocumentFetch } from '../../../src/auth-server/clients/documents.ts';
import { clientDocument, clientsWithDocument, known, realClients } from '../../kit/auth-server/real-clients.ts';
import { startSignInServer } from '../../kit/auth-server/sign-in-server.ts';

it.each(Object.entries(realClients))('%s: signs in, calls, refreshes and calls again', async (_name, client) => {
  const server = await startSignInServer({ options: { clients: { known: [known] } } });
  const results = await client.run(server);
  for (const result of results) expect(JSON.stringify(result)).toContain('dev:ada');
  expect(server.events.filter(({ type }) => type === 'token-issued').length).toBe(2);
});

it.each(Object.entries(clientsWithDocument))(
  '%s, named by its metadata document: signs in, calls, refreshes and calls again [s-auth-08]',
  async (_name, client) => {
    const fetched: string[] = [];
    const options = withDocumentFetch(async (url) => {
      fetched.push(url);
      return Response.json(clientDocument);
    });
    const server = await startSignInServer({ options });
    const results = await client.run(server);
    expect(results).toHaveLength(2);
    for (const result of results) expect(JSON.stringify(result)).toContain('dev:ada');
    expect(new Set(fetched)).toEqual(new Set([clientDocument.client_id]));
    const types = server.events.map(({ type }) => type);
    expect([types.includes('client-registered'), types.filter((type) => type === 'token-issued').length]).toEqual([
      false,
      2,
    ]);
  },
);
