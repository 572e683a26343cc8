/** A sign-in from the first request of a client to a call of a tool. */
import { expect, it } from 'vitest';
import { startSignInServer } from '../kit/auth-server/sign-in-server.ts';

it('gives a client a token of its own for the server, after the user has signed in at the provider', async () => {
  const server = await startSignInServer();
  const client = await server.register();
  const back = await server.signIn(client);
  expect(back.searchParams.get('state')).toBe('state-of-the-client');
  expect(back.searchParams.get('iss')).toBe(server.issuer);
  const { body } = await server.redeem(client, back);
  expect(body).toMatchObject({ token_type: 'Bearer', expires_in: 600 });
  const { json } = await server.call(body.access_token);
  expect(json).toMatchObject({ result: { content: [{ text: expect.stringContaining('"subject":"dev:ada"') }] } });
});
