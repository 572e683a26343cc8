/** What a client drops is counted, and written to the console by default, over every transport. */
import { connect } from 'tenon';
import { connect as connectAnywhere } from 'tenon/client';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { alone, scripted as scriptedHttp } from '../../kit/http/scripted-server.ts';
import { greetings } from '../../kit/samples/greetings-extension.ts';
import { answer, scriptedServer, session } from '../../kit/transport/scripted-server.ts';

afterEach(() => void vi.restoreAllMocks());

const invalid = { jsonrpc: '2.0', method: 'notifications/message', params: { level: 'loud', data: 1 } };
const logged = 'tenon: Invalid params for notifications/message';

describe.each<[string, typeof connectAnywhere]>([
  ['tenon', connect],
  ['tenon/client', connectAnywhere],
])('a client of %s without onWarning', (_, open) => {
  it('writes to the console what it drops in memory [S26]', async () => {
    const written = vi.spyOn(console, 'error').mockImplementation(() => {});
    const server = scriptedServer(
      session({}, (message, send) => {
        if (message.method !== 'ping') return;
        send(invalid);
        send(answer(message, {}));
      }),
    );
    await using client = await open(server.transport, { protocolVersions: ['2025-06-18'] });
    await client.ping();
    expect(written.mock.calls).toEqual([[expect.stringContaining(logged)]]);
    expect(client.stats().dropped.invalid).toBe(1);
  });

  it('writes to the console what it drops over HTTP [S26]', async () => {
    const written = vi.spyOn(console, 'error').mockImplementation(() => {});
    const { url } = await scriptedHttp(({ message, response }) => {
      if (message.method !== 'tools/list') return false;
      const result = { tools: [], resultType: 'complete', ttlMs: 0, cacheScope: 'private' };
      const events = [invalid, { jsonrpc: '2.0', id: message.id, result }];
      response.writeHead(200, { 'content-type': 'text/event-stream' });
      return response.end(events.map((one) => `data: ${JSON.stringify(one)}\n\n`).join(''));
    });
    await using client = await open(url, { protocolVersions: [alone] });
    expect(await client.tools.list().all()).toEqual([]);
    expect(written.mock.calls).toEqual([[expect.stringContaining(logged)]]);
    expect(client.stats().dropped.invalid).toBe(1);
  });
});

it('an invalid notification of an extension, and an invalid result, are counted [S26]', async () => {
  const server = scriptedServer(
    session({ capabilities: { tools: {} } }, (message, send) => {
      if (message.method !== 'tools/list') return;
      send({ jsonrpc: '2.0', method: 'notifications/greetings/waved', params: { to: 5 } });
      send(answer(message, { tools: 'none' }));
    }),
  );
  const warnings: unknown[] = [];
  await using client = await connect(server.transport, {
    protocolVersions: ['2025-06-18'],
    extensions: [greetings],
    onWarning: (error) => warnings.push(error),
  });
  await expect(client.tools.list().all()).rejects.toMatchObject({ code: 'invalid-result' });
  expect(client.stats().dropped.invalid).toBe(2);
  expect(warnings).toMatchObject([{ code: 'invalid-message' }]);
});

it('an invalid result ends a strict connection, and its call has the reason [S25]', async () => {
  const server = scriptedServer(
    session({ capabilities: { tools: {} } }, (message, send) => {
      if (message.id !== undefined) send(answer(message, { tools: 'none' }));
    }),
  );
  const reasons: unknown[] = [];
  const client = await connect(server.transport, {
    protocolVersions: ['2025-06-18'],
    strict: true,
    onWarning: () => {},
    onClose: (reason) => reasons.push(reason),
  });
  await expect(client.tools.list().all()).rejects.toMatchObject({ code: 'invalid-result' });
  await server.left;
  expect(reasons).toMatchObject([{ code: 'invalid-result', details: { strict: true } }]);
});
