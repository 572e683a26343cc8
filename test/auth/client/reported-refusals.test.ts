/** Scopes that a server reports as missing in a message, since its response has begun. */
import { connect } from 'tenon';
import { bearerToken } from 'tenon/auth';
import { describe, expect, it } from 'vitest';
import { failureOf, scopesOf, setUp } from '../../kit/auth/challenging-server.ts';
import { alone, event, type Json, type Received, scripted, session, stream } from '../../kit/http/scripted-server.ts';

const reported = ({ id }: Json, scope: string | undefined, code = -31433): Json => ({
  id,
  error: { code, message: 'This needs more scopes', ...(scope !== undefined && { data: { scope } }) },
});
const respond = {
  'on a stream that is open': ({ message, response }: Received, scope: string | undefined, code?: number) =>
    stream(response, event({ method: 'notifications/message', params: { level: 'info', data: 'begun' } })).end(
      event(reported(message, scope, code)),
    ),
  'in a JSON response': ({ message, response }: Received, scope: string | undefined, code?: number) =>
    response
      .writeHead(200, { 'content-type': 'application/json' })
      .end(JSON.stringify({ jsonrpc: '2.0', ...reported(message, scope, code) })),
};
describe.each(Object.entries(respond))('Scopes that are missing, as an error reports %s,', (_place, write) => {
  it.each([alone, session] as const)(
    'are requested, and the call is sent again [e-auth-54, e-auth-57] (%s)',
    async (version) => {
      const setting = await setUp(
        () => 'Bearer scope="files:read"',
        (received) =>
          received.message.method === 'tools/call' && received.headers.authorization === 'Bearer token-1'
            ? write(received, 'files:write')
            : false,
      );
      const client = await setting.connect({}, version);
      expect(await client.tools.call('write')).toMatchObject({ content: [{ text: 'done' }] });
      await client.close();
      expect(scopesOf(setting)).toEqual(['files:read', 'files:read files:write']);
      expect(setting.server.posted('tools/call').length).toBe(2);
    },
  );

  it('are requested once for a call, and three times for an operation [e-auth-59]', async () => {
    let asked = 0;
    const setting = await setUp(
      () => 'Bearer scope="files:read"',
      (received) => received.message.method === 'tools/call' && write(received, `more:${++asked}`),
    );
    const client = await setting.connect();
    const error = await failureOf(client.tools.call('write'));
    expect(error).toMatchObject({ code: 'forbidden', details: { operation: 'tools/call write' } });
    expect(setting.server.posted('tools/call').length).toBe(2);
    for (let calls = 0; calls < 2; calls++) await failureOf(client.tools.call('write'));
    const last = await failureOf(client.tools.call('write'));
    await client.close();
    expect(last).toMatchObject({ code: 'authorization-failed', hint: expect.stringContaining('maxAuthorizations') });
    expect(setting.authority.pages.length).toBe(1 + 3);
  });

  it('and are not named fail the call, which may have run', async () => {
    const setting = await setUp(
      () => 'Bearer',
      (received) => received.message.method === 'tools/call' && write(received, undefined, -31401),
    );
    const client = await setting.connect();
    expect(await failureOf(client.tools.call('write'))).toMatchObject({ reason: 'unauthorized' });
    await client.close();
    expect(setting.server.posted('tools/call').length).toBe(1);
  });

  it('lead to the error of the server where there are no other credentials', async () => {
    const server = await scripted(
      (received) => received.message.method === 'tools/call' && write(received, 'files:write'),
    );
    const client = await connect({ url: server.url, auth: bearerToken('one') }, { protocolVersions: [alone] });
    expect(await failureOf(client.tools.call('write'))).toMatchObject({ reason: 'insufficient-scope' });
    expect(await client.resources.list().all()).toEqual([]);
    await client.close();
  });
});
