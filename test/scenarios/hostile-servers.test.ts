import type { Client } from 'tenon';
import { describe, expect, it } from 'vitest';
import { type Json, request } from '../kit/transport/raw-connection.ts';
import { answer, type Script, scripted } from '../kit/transport/scripted-server.ts';

const greeting = (protocolVersion: string): Json => ({
  protocolVersion,
  capabilities: { tools: {} },
  serverInfo: { name: 'scripted', version: '1' },
  unheardOf: true,
});

/** Answers the handshake, then passes every request on. */
const session =
  (revision: string, then: Script): Script =>
  (message, send) => {
    if (message.method === 'initialize') send(answer(message, greeting(revision)));
    else if (message.id !== undefined) then(message, send);
  };

const revisions = ['2025-06-18'] as const;
const pong = { content: [{ type: 'text', text: 'pong' }], unheardOf: { a: 1 } };

describe('a client of a faulty server', () => {
  it('opens with a handshake, then sends initialized [s-lifecycle-01, s-lifecycle-02, s-lifecycle-04, s-lifecycle-07]', async () => {
    const { client, received } = scripted(
      session('2025-06-18', (message, send) => send(answer(message, pong))),
      { protocolVersions: revisions },
    );
    await (await client).tools.call('ping');
    expect(received.map(({ method }) => method)).toEqual(['initialize', 'notifications/initialized', 'tools/call']);
    expect(received[0]).toEqual(
      request(1, 'initialize', {
        protocolVersion: '2025-06-18',
        capabilities: {},
        clientInfo: { name: expect.any(String), version: expect.any(String) },
      }),
    );
  });

  it('answers pings and refuses unknown requests during a call [S42, s-ping-01, s-base-07, s-base-10]', async () => {
    const { client, received } = scripted(
      session('2025-06-18', (message, send) => {
        if (message.method !== 'tools/call') return;
        for (const id of [0, 'p']) send(request(id, 'ping'));
        send(request(7, 'unknown/method', { a: 1 }));
        send({ jsonrpc: '2.0', method: 'notifications/unknown/method' });
        send(answer(message, pong));
      }),
      { protocolVersions: revisions },
    );
    expect(await (await client).tools.call('ping')).toMatchObject({ content: pong.content });
    await (await client).tools.call('ping');
    expect(received.filter(({ method }) => method === undefined).slice(0, 3)).toEqual([
      { jsonrpc: '2.0', id: 0, result: {} },
      { jsonrpc: '2.0', id: 'p', result: {} },
      {
        jsonrpc: '2.0',
        id: 7,
        error: { code: -32601, message: expect.any(String), data: { method: 'unknown/method' } },
      },
    ]);
  });

  it('drops invalid messages with a warning, and still gets the answer [S26]', async () => {
    const { client, warnings } = scripted(
      session('2025-06-18', (message, send) => {
        if (message.method !== 'tools/call') return;
        send('Listening on port 3000');
        send(answer({ id: 99 }, {}));
        send({ jsonrpc: '2.0', id: null, error: { code: -32700, message: 'Parse error' } });
        send({ jsonrpc: '1.0', id: 99, result: {} });
        send(answer(message, pong));
        send(answer(message, { content: [] }));
      }),
      { protocolVersions: revisions },
    );
    expect(await (await client).tools.call('ping')).toMatchObject({ content: pong.content });
    expect(warnings).toMatchObject([
      { code: 'invalid-json' },
      { code: 'parse-error', cause: { code: -32700, message: 'Parse error' } },
      { code: 'invalid-message' },
    ]);
  });

  it('drops an unreadable answer to a call, which ends at its timeout, and still works [S26]', async () => {
    const { client } = scripted(
      session('2025-06-18', (message, send) => {
        const isFirst = (message.params as Json).name === 'first';
        send(isFirst ? { ...answer(message, pong), jsonrpc: '1.0' } : answer(message, pong));
      }),
      { protocolVersions: revisions },
    );
    await expect((await client).tools.call('first', {}, { timeoutMs: 100 })).rejects.toMatchObject({
      code: 'timeout',
      cause: { code: 'invalid-message' },
    });
    expect(await (await client).tools.call('second')).toMatchObject({ content: pong.content });
  });

  it('disconnects when the server chooses a revision it does not accept [s-lifecycle-12, s-lifecycle-13]', async () => {
    const { client, ended, received } = scripted(
      session('2025-11-25', () => {}),
      { protocolVersions: revisions },
    );
    await expect(client).rejects.toMatchObject({
      code: 'protocol-version-mismatch',
      details: { accepted: ['2025-06-18'], offered: ['2025-11-25'] },
    });
    expect(await ended).toBe('ended');
    expect(received).toHaveLength(1);
  });

  it.each([null, undefined, 'none', { supported: 5 }, { supported: ['2099-01-01'] }])(
    'disconnects when the server refuses every revision with the data %j',
    async (data) => {
      const { client, ended } = scripted(
        ({ id }, send) => send({ jsonrpc: '2.0', id, error: { code: -32022, message: 'no', data } }),
        { protocolVersions: ['2026-07-28'] },
      );
      await expect(client).rejects.toMatchObject({ code: 'protocol-version-mismatch' });
      expect(await ended).toBe('ended');
    },
  );

  it.each([
    ['no result at all', {}],
    ['content that is not an array', { content: 'pong' }],
    ['null', null],
    ['text', 'pong'],
  ])('rejects a result that is %s', async (_, result) => {
    const { client } = scripted(
      session('2025-06-18', (message, send) => send(answer(message, result))),
      { protocolVersions: revisions },
    );
    await expect((await client).tools.call('ping')).rejects.toMatchObject({ code: 'invalid-result' });
  });

  it('rejects all pending calls when the server disconnects', async () => {
    let calls = 0;
    const side: { client: Promise<Client>; hangUp(): void } = scripted(
      session('2025-06-18', () => {
        calls += 1;
        if (calls === 2) side.hangUp();
      }),
      { protocolVersions: revisions },
    );
    const client = await side.client;
    const waiting = [client.tools.call('a'), client.tools.call('b')];
    for (const each of waiting)
      await expect(each).rejects.toMatchObject({ code: 'outcome-unknown', details: { requestId: expect.any(Number) } });
    await expect(client.tools.list().all()).rejects.toMatchObject({ code: 'connection-closed' });
  });

  it('sends revision and capabilities in every request of an exchange, and never a handshake [e-meta-08, e-meta-09]', async () => {
    const { client, received } = scripted(
      (message, send) => {
        const discovered = {
          supportedVersions: ['2026-07-28'],
          capabilities: { tools: {} },
          ttlMs: 0,
          cacheScope: 'private',
        };
        send(answer(message, { resultType: 'complete', ...(message.method === 'tools/call' ? pong : discovered) }));
      },
      { protocolVersions: ['2026-07-28'] },
    );
    await (await client).tools.call('ping');
    expect(received.map(({ method }) => method)).toEqual(['server/discover', 'tools/call']);
    for (const { params } of received) {
      expect(params).toMatchObject({
        _meta: {
          'io.modelcontextprotocol/protocolVersion': '2026-07-28',
          'io.modelcontextprotocol/clientCapabilities': {},
        },
      });
    }
  });
});
