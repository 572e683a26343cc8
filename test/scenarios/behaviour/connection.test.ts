import { connect, createServer, type ProtocolVersion, RpcError, rpcError, tool } from 'tenon';
import { protocolVersions } from 'tenon/protocol';
import type { ServerConnection } from 'tenon/server';
import { createMemoryTransports } from 'tenon/transport';
import { describe, expect, it } from 'vitest';
import { sessionVersions } from '../../kit/version-order.ts';

const sessions = sessionVersions;

/** A server with one tool that returns on `release`, a client of it, and the server's side of the connection. */
async function open(revision: ProtocolVersion) {
  const [near, far] = createMemoryTransports();
  let begun = (): void => {};
  const started = new Promise<void>((resolve) => (begun = resolve));
  let release = (_text: string): void => {};
  const server = createServer({
    name: 'slow',
    version: '1',
    tools: {
      wait: tool({}, async (_given, ctx) => {
        const text = new Promise<string>((resolve) => (release = resolve));
        begun();
        const released = await text;
        ctx.log('debug', released);
        return released;
      }),
    },
  });
  const warnings: unknown[] = [];
  const connection: ServerConnection = server.accept(far, { onWarning: (error) => warnings.push(error) });
  const logs: unknown[] = [];
  const client = await connect(near, {
    protocolVersions: [revision],
    strict: false,
    onLog: ({ data }) => logs.push(data),
  });
  return { client, connection, near, started, release: (text: string) => release(text), logs, warnings };
}

describe.each(protocolVersions)('the server side of a connection at %s', (revision) => {
  it('that closes sends the results of running calls, and accepts no new ones [S37]', async () => {
    const { client, connection, started, release } = await open(revision);
    const waiting = client.tools.call('wait');
    await started;
    const closed = connection.close();
    await expect(client.tools.call('wait')).rejects.toMatchObject({ reason: 'overloaded' });
    release('done after all');
    expect((await waiting).content).toEqual([{ type: 'text', text: 'done after all' }]);
    await closed;
    // Over pipes a call can be written before the client notices the close.
    const late = await client.tools.call('wait').catch((error) => error.code);
    expect(['connection-closed', 'outcome-unknown']).toContain(late);
  });

  it('that closes waits no longer than its timeout, and aborts the handler', async () => {
    const { client, connection, started } = await open(revision);
    const waiting = client.tools.call('wait');
    await started;
    await connection.close(1);
    await expect(waiting).rejects.toMatchObject({ code: 'outcome-unknown' });
  });

  it('closes at once where no call runs, and a second close changes nothing', async () => {
    const { client, connection } = await open(revision);
    await Promise.all([connection.close(), connection.close()]);
    await expect(client.tools.list().all()).rejects.toMatchObject({ code: 'connection-closed' });
  });

  it('counts what it drops, and so does the client [S28]', async () => {
    const { client, connection, near, warnings } = await open(revision);
    near.send(JSON.stringify({ jsonrpc: '2.0', id: 999, result: {} }));
    near.send('no JSON');
    await client.tools.list().all();
    expect(connection.stats()).toEqual({ activeCalls: 0, dropped: { late: 0, unknown: 1, invalid: 1 } });
    expect(warnings).toMatchObject([{ code: 'invalid-json' }]);
    // The server answered the text with an error without an id.
    expect(client.stats().dropped).toMatchObject({ unknown: 1 });
    await client.close();
  });
});

describe.each(sessions)('a session at %s', (revision) => {
  it('is pinged from both sides [S16]', async () => {
    const { client, connection } = await open(revision);
    await expect(connection.ping()).resolves.toBeUndefined();
    await expect(client.ping()).resolves.toBeUndefined();
    await client.close();
  });

  it('applies a new log level to running calls', async () => {
    const { client, started, release, logs } = await open(revision);
    const waiting = client.tools.call('wait');
    await started;
    await client.setLogLevel('debug');
    release('logged');
    await waiting;
    expect(logs).toEqual(['logged']);
    await client.close();
  });
});

it('a client of an exchange cannot be pinged', async () => {
  const { client, connection } = await open('2026-07-28');
  await expect(connection.ping()).rejects.toMatchObject({ code: 'capability-not-supported' });
  await client.close();
});

it('error codes that exchanges retired or reserved are never sent, whatever a handler throws [e-base-23, e-base-25]', async () => {
  const codes: Array<[RpcError, number]> = [
    [new RpcError(-32002, 'missing'), -32602],
    [new RpcError(-32042, 'open this'), -32602],
    [new RpcError(-32050, 'mine'), -32603],
    [new RpcError(-32099, 'mine'), -32603],
    [new RpcError(-32100, 'mine'), -32100],
    [new RpcError(4711, 'mine'), 4711],
    [rpcError('missing-client-capability', 'more', { requiredCapabilities: {} }), -32021],
  ];
  for (const [thrown, code] of codes) {
    const server = createServer({
      name: 'x',
      version: '1',
      tools: {
        fail: tool({}, () => {
          throw thrown;
        }),
      },
    });
    const client = await connect(server, { protocolVersions: ['2026-07-28'] });
    await expect(client.tools.call('fail')).rejects.toMatchObject({ code });
    await client.close();
  }
});
