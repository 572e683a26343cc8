/** A client negotiates a revision with servers of every kind, or rejects. */
import { connect, createServer, type ProtocolVersion, tool } from 'tenon';

import { protocolVersions } from 'tenon/protocol';
import { createMemoryTransports } from 'tenon/transport';
import { describe, expect, it } from 'vitest';
import { createFakeClock } from '../../../src/lib/time/fake-clock.ts';
import { withClock } from '../../../src/lib/time/internal-deadlines.ts';
import { withFixed } from '../../kit/fixed-limits.ts';
import { type Json } from '../../kit/transport/raw-connection.ts';
import { answer, mute, refuse, type Script, scriptedServer, session } from '../../kit/transport/scripted-server.ts';
import { sessionVersions } from '../../kit/version-order.ts';

const sessions = sessionVersions;
const newestSession = sessions.at(-1) as ProtocolVersion;

describe('a server that cannot be discovered', () => {
  const answers: ReadonlyArray<readonly [string, Script]> = [
    ['method not found', (message, send) => send(refuse(message, -32601))],
    ['invalid params', (message, send) => send(refuse(message, -32602, { supported: ['2026-07-28'] }))],
    ['a code of its own', (message, send) => send(refuse(message, -32000))],
    ['invalid request', (message, send) => send(refuse(message, -32600))],
    ['an invalid result', (message, send) => send(answer(message, { hello: 'world' }))],
    ['a number', (message, send) => send(answer(message, 5))],
  ];

  it.each(answers)(
    'and answers %s gets a handshake [e-version-10, e-discover-02, e-stdio-22]',
    async (_name, answer) => {
      const server = scriptedServer(
        session({}, (message, send) => (message.method === 'server/discover' ? answer(message, send) : undefined)),
      );
      const client = await connect(server.transport);
      expect(client.protocolVersion).toBe(newestSession);
      await client.close();
      expect(server.methods()).toEqual(['server/discover', 'initialize', 'notifications/initialized']);
    },
  );

  it('and does not answer in time gets a handshake, and its late answer is dropped [e-version-10]', async () => {
    const clock = createFakeClock();
    const warnings: unknown[] = [];
    const server = scriptedServer((message, send) => {
      if (message.method === 'server/discover') clock.advance(5000);
      if (message.method === 'initialize') send(answer({ id: 1 }, { late: true }));
      session({}, mute)(message, send);
    });
    const client = await connect(server.transport, {
      ...withClock(clock),
      onWarning: (warning) => warnings.push(warning),
    });
    expect(client.protocolVersion).toBe(newestSession);
    await client.close();
    expect(server.methods()).toEqual(['server/discover', 'initialize', 'notifications/initialized']);
    expect(warnings).toEqual([]);
  });

  it('in time but answers during the handshake is used at the revision it discovered', async () => {
    const clock = createFakeClock();
    let discovery: Json = {};
    const server = scriptedServer((message, send) => {
      if (message.method === 'server/discover') {
        discovery = message;
        return clock.advance(5000);
      }
      if (message.method !== 'initialize') return;
      const supportedVersions = ['2026-07-28', newestSession];
      const rest = { capabilities: {}, resultType: 'complete', ttlMs: 0, cacheScope: 'private' };
      send(answer(discovery, { supportedVersions, ...rest }));
      session({}, mute)(message, send);
    });
    const client = await connect(server.transport, { ...withClock(clock) });
    expect(client.protocolVersion).toBe('2026-07-28');
    await client.close();
    expect(server.methods()).toEqual(['server/discover', 'initialize']);
  });

  it('is waited for only so long', async () => {
    const clock = createFakeClock();
    const waiting: number[] = [];
    const server = scriptedServer((message, send) => {
      if (message.method === 'server/discover') {
        clock.advance(99);
        waiting.push(clock.pending);
        clock.advance(1);
        waiting.push(clock.pending);
      }
      session({}, mute)(message, send);
    });
    const client = await connect(server.transport, {
      ...withClock(clock),
      timeouts: withFixed({}, { discoveryMs: 100 }),
    });
    // The remaining timers are for a late answer and for callers that wait for the connection.
    expect(waiting).toEqual([3, 2]);
    expect(client.protocolVersion).toBe(newestSession);
    await client.close();
  });

  it('is rejected after discovery if only exchanges are accepted [e-version-14]', async () => {
    const server = scriptedServer(session({}, (message, send) => send(refuse(message, -32601))));
    const connecting = connect(server.transport, { protocolVersions: ['2026-07-28'] });
    await expect(connecting).rejects.toMatchObject({
      code: 'protocol-version-mismatch',
      details: { accepted: ['2026-07-28'] },
    });
    await server.left;
    expect(server.methods()).toEqual(['server/discover']);
  });
});

describe('a server that supports exchanges', () => {
  const refusing = (code: number, data?: unknown) =>
    scriptedServer(
      session({}, (message, send) =>
        message.method === 'server/discover' ? send(refuse(message, code, data)) : undefined,
      ),
    );

  it.each([
    [-32020, 'header-mismatch'],
    [-32021, 'missing-client-capability'],
  ])('and refuses with %i gets no handshake [e-version-09]', async (code, reason) => {
    const server = refusing(code);
    await expect(connect(server.transport)).rejects.toMatchObject({ code, reason });
    await server.left;
    expect(server.methods()).toEqual(['server/discover']);
  });

  it.each([
    ['no data', undefined],
    ['null', null],
    ['an empty list', { supported: [] }],
    ['unknown revisions', { supported: ['2099-01-01'] }],
    ['an object', { supported: { first: '2025-06-18' } }],
  ])('and refuses the revision with %s is rejected [e-version-02, e-version-09, e-stdio-20]', async (_name, data) => {
    const server = refusing(-32022, data);
    const connecting = connect(server.transport);
    await expect(connecting).rejects.toMatchObject({ code: 'protocol-version-mismatch' });
    await server.left;
    expect(server.methods()).toEqual(['server/discover']);
  });

  it('and names an accepted session revision is used at that revision [e-version-02]', async () => {
    const server = refusing(-32022, { supported: ['2099-01-01', '2025-03-26', '2024-11-05'] });
    const client = await connect(server.transport);
    expect(client.protocolVersion).toBe('2025-03-26');
    await client.close();
  });

  it('and can be discovered is used at a revision from its list [e-discover-03]', async () => {
    const discovered = (supportedVersions: string[]) => ({
      resultType: 'complete',
      supportedVersions,
      capabilities: {},
      ttlMs: 0,
      cacheScope: 'private',
    });
    for (const [supported, negotiated] of [
      [['2099-01-01', '2026-07-28', '2025-06-18'], '2026-07-28'],
      [['2025-06-18', '2024-11-05'], '2025-06-18'],
    ] as const) {
      const server = scriptedServer(session({}, (message, send) => send(answer(message, discovered([...supported])))));
      const client = await connect(server.transport);
      expect(client.protocolVersion).toBe(negotiated);
      await client.close();
    }
  });

  it('and disconnects before it answers makes connect reject', async () => {
    const server = scriptedServer(() => server.leave());
    await expect(connect(server.transport)).rejects.toMatchObject({ code: 'connection-closed' });
  });
});

describe.each(sessions)('a handshake at %s', (revision) => {
  it('is the first and only request, has version, capabilities and client, and is confirmed once answered [s-lifecycle-01, s-lifecycle-02, s-lifecycle-04, s-lifecycle-05, s-lifecycle-07, s-lifecycle-08]', async () => {
    const server = scriptedServer(
      session({ capabilities: { logging: {} } }, (message, send) => send(answer(message, {}))),
    );
    const client = await connect(server.transport, {
      protocolVersions: [revision],
      clientInfo: { name: 'mine', version: '2.0' },
      handlers: { roots: [] },
      logLevel: 'error',
    });
    await client.close();
    expect(server.received[0]).toEqual({
      jsonrpc: '2.0',
      id: 1,
      method: 'initialize',
      params: {
        protocolVersion: revision,
        capabilities: { roots: { listChanged: true } },
        clientInfo: { name: 'mine', version: '2.0' },
      },
    });
    expect(server.received[1]).toEqual({ jsonrpc: '2.0', method: 'notifications/initialized' });
    expect(server.methods().slice(2)).toEqual(['logging/setLevel']);
  });

  it('that is answered with another revision closes the connection, and the error names both [S03, s-lifecycle-12, s-lifecycle-13]', async () => {
    const reasons: unknown[] = [];
    const server = scriptedServer(session({ revision: '2023-01-01' }, mute));
    const connecting = connect(server.transport, {
      protocolVersions: [revision],
      onClose: (reason) => reasons.push(reason),
    });
    const failure = await connecting.catch((failure) => failure);
    expect(failure).toMatchObject({
      code: 'protocol-version-mismatch',
      message: expect.stringContaining(
        `No common protocol version: the client accepts ${revision}, the server 2023-01-01.`,
      ),
      details: { accepted: [revision], offered: ['2023-01-01'] },
    });
    await server.left;
    expect(server.methods()).toEqual(['initialize']);
    expect(reasons).toEqual([failure]);
  });

  it('that has no answer in time closes the connection without a cancellation [s-lifecycle-25, s-lifecycle-30]', async () => {
    const clock = createFakeClock();
    const server = scriptedServer(() => clock.advance(60_000));
    const connecting = connect(server.transport, { protocolVersions: [revision], ...withClock(clock) });
    await expect(connecting).rejects.toMatchObject({ code: 'timeout' });
    await server.left;
    expect(server.methods()).toEqual(['initialize']);
  });

  it('lets the server log before it is confirmed, right after its answer', async () => {
    const logged: unknown[] = [];
    const server = scriptedServer((message, send) => {
      session({ capabilities: { logging: {} } }, mute)(message, send);
      const params = { level: 'info', data: message.method };
      send({ jsonrpc: '2.0', method: 'notifications/message', params });
    });
    const client = await connect(server.transport, {
      protocolVersions: [revision],
      onLog: ({ data }) => logged.push(data),
    });
    await client.close();
    expect(logged[0]).toBe('initialize');
  });

  it('that is answered with an older accepted revision continues in that revision', async () => {
    const server = scriptedServer(session({ revision }, mute));
    const client = await connect(server.transport, { protocolVersions: sessions });
    expect(client.protocolVersion).toBe(revision);
    expect(server.received[0]).toMatchObject({ params: { protocolVersion: newestSession } });
    await client.close();
  });
});

describe('a server that refuses the version of a handshake', () => {
  const server = createServer(
    { name: 'strict', version: '1', tools: { ping: tool({}, () => 'pong') } },
    { protocolVersions: ['2025-06-18'], versionMismatch: 'reject' },
  );

  it('answers with the error of document 003 [S03]', async () => {
    const [received, transport] = createMemoryTransports();
    server.accept(transport);
    const answer = new Promise<Json>((resolve) =>
      received.open({ onMessage: (text) => resolve(JSON.parse(text)), onClose() {} }),
    );
    const params = { protocolVersion: '2024-11-05', capabilities: {}, clientInfo: { name: 'c', version: '1' } };
    received.send(JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'initialize', params }));
    expect(await answer).toEqual({
      jsonrpc: '2.0',
      id: 1,
      error: {
        code: -32602,
        message: 'Protocol version mismatch',
        data: {
          clientVersion: '2024-11-05',
          serverVersion: '2025-06-18',
          message: 'Server requires protocol version 2025-06-18',
        },
      },
    });
    received.close();
  });

  it('is used at the version it requires if that is accepted', async () => {
    const client = await connect(server, { protocolVersions: ['2025-06-18', '2025-11-25'] });
    expect(client.protocolVersion).toBe('2025-06-18');
    await client.close();
  });

  it('is rejected if that is not accepted, and the error names both [S03]', async () => {
    await expect(connect(server, { protocolVersions: ['2024-11-05'] })).rejects.toMatchObject({
      code: 'protocol-version-mismatch',
      details: { accepted: ['2024-11-05'], offered: ['2025-06-18'] },
    });
  });

  it('without naming a version makes connect reject with its own error', async () => {
    const raw = scriptedServer((message, send) => send(refuse(message, -32603)));
    await expect(connect(raw.transport, { protocolVersions: ['2025-06-18'] })).rejects.toMatchObject({ code: -32603 });
  });
});

describe('a Tenon client and server with some of the revisions', () => {
  const serving = (...revisions: ProtocolVersion[]) =>
    createServer({ name: 's', version: '1', tools: {} }, { protocolVersions: revisions });

  it.each([
    [['2024-11-05'], protocolVersions, '2024-11-05'],
    [['2024-11-05', '2025-06-18'], protocolVersions, '2025-06-18'],
    [['2026-07-28'], protocolVersions, '2026-07-28'],
    [['2025-03-26', '2026-07-28'], ['2025-03-26', '2025-11-25'], '2025-03-26'],
    [protocolVersions, ['2024-11-05', '2025-03-26'], '2025-03-26'],
  ] as const)('a server of %j and a client of %j use %s', async (server, client, negotiated) => {
    const connected = await connect(serving(...server), { protocolVersions: client });
    expect(connected.protocolVersion).toBe(negotiated);
    await connected.close();
  });

  it.each([
    [['2026-07-28'], ['2025-06-18']],
    [['2025-06-18'], ['2026-07-28']],
    [['2024-11-05'], ['2025-06-18', '2026-07-28']],
  ] as const)(
    'a server of %j and a client of %j do not connect, and the error names both [e-version-13, s-lifecycle-13]',
    async (server, client) => {
      await expect(connect(serving(...server), { protocolVersions: client })).rejects.toMatchObject({
        code: 'protocol-version-mismatch',
        details: { accepted: [...client].reverse(), offered: server },
      });
    },
  );

  it('discovery lists the revisions that are served, and no others', async () => {
    const client = await connect(serving('2024-11-05', '2026-07-28'));
    const { supportedVersions } = await client.request('server/discover');
    expect(supportedVersions).toEqual(['2026-07-28', '2024-11-05']);
    await client.close();
  });
});
