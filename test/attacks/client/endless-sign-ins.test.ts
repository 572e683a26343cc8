/** A server that is never satisfied, whose tokens have expired at once: a person is not asked to sign in for every call. */
import { expect, it } from 'vitest';
import { setUp } from '../../kit/auth/challenging-server.ts';
import { refuse } from '../../kit/http/scripted-server.ts';

it('asks a person as often as one whose tokens last [S24, S36]', async () => {
  const setting = await setUp(
    () => 'Bearer',
    ({ message, response }) =>
      message.method === 'tools/call' &&
      (refuse(response, 401, undefined, { 'www-authenticate': 'Bearer error="invalid_token"' }), true),
  );
  setting.authority.routes['/token'] = () => ({
    body: { access_token: `token-${Math.random()}`, token_type: 'Bearer', expires_in: 0 },
  });
  const client = await setting.connect();
  const { length: atFirst } = setting.authority.pages;
  const codes = new Set<string>();
  for (let n = 0; n < 10; n++) await client.tools.call('x').catch(({ code }: { code: string }) => codes.add(code));
  expect([...codes]).toEqual(['authorization-failed']);
  expect(setting.authority.pages.length - atFirst).toBeLessThan(5);
  await client.close();
});
