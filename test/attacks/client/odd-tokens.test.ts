/** Access tokens that no header can have: the sign-in fails by name, and nothing is sent to the server. */
import { expect, it } from 'vitest';
import { setUp } from '../../kit/auth/challenging-server.ts';

it.each(['a\r\nx-evil: 1', 'a\u0000b', '\u0100'])('is refused with the token %j [S24]', async (token) => {
  const setting = await setUp();
  setting.authority.routes['/token'] = () => ({ body: { access_token: token, token_type: 'Bearer' } });
  const failure = {
    code: 'authorization-failed',
    message: expect.stringContaining('access_token has characters that no header can have'),
  };
  await expect(setting.connect()).rejects.toMatchObject(failure);
  expect(setting.authority.requested('/token')).toHaveLength(1);
});
