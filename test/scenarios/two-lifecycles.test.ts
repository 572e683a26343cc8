import { createServer, resource, tool } from 'tenon';
import { protocolVersions } from 'tenon/protocol';
import { describe, expect, it } from 'vitest';
import { envelope, handshake, type Json, openRaw, refused, request } from '../kit/transport/raw-connection.ts';
import { sessionVersions } from '../kit/version-order.ts';

const server = createServer({
  name: 'target',
  version: '1.0.0',
  tools: { echo: tool({}, () => 'here') },
  resources: { 'note://one': resource({}, () => 'one') },
});

const here = { content: [{ type: 'text', text: 'here' }] };

/** Errors are explained asynchronously, so answers can arrive in another order. */
const inOrder = (answers: Json[]): Json[] => answers.toSorted((a, b) => Number(a.id) - Number(b.id));

describe('the two lifecycles of one connection', () => {
  it('answers pings before the handshake and refuses everything else with a hint [s-ping-01, e-meta-10]', async () => {
    const { send, settled } = openRaw(server);
    send(request(1, 'ping'));
    send(request(2, 'tools/list'));
    send(request(3, 'tools/list', { _meta: {} }));
    send(request(4, 'unknown/method'));
    const hint = expect.stringContaining('initialize');
    expect(await settled()).toEqual([
      { jsonrpc: '2.0', id: 1, result: {} },
      ...[2, 3, 4].map((id) => refused(-32602, id, hint)),
    ]);
  });

  it('refuses a second handshake and continues with the first', async () => {
    const { send, settled, next } = openRaw(server);
    send(handshake('2024-11-05'));
    expect(await next()).toMatchObject({ result: { protocolVersion: '2024-11-05' } });
    send({ ...handshake('2025-11-25'), id: 2 });
    send([request(3, 'ping')]);
    send(request(4, 'ping'));
    expect(await settled()).toEqual([refused(-32600, 2), refused(-32600, null), { jsonrpc: '2.0', id: 4, result: {} }]);
  });

  it('chooses the requested revision, or the newest one with sessions [s-lifecycle-03, s-lifecycle-09, s-lifecycle-10, s-lifecycle-11]', async () => {
    const agreed = new Map<string, unknown>();
    for (const requested of [...protocolVersions, '1999-01-01', '2099-01-01', '', 'latest']) {
      const { send, next } = openRaw(server);
      send(handshake(requested));
      const { result } = (await next()) as { result: Json };
      expect(result).toMatchObject({ serverInfo: { name: 'target' }, capabilities: { tools: {}, resources: {} } });
      agreed.set(requested, result.protocolVersion);
    }
    const sessions = sessionVersions.map((id): [string, unknown] => [id, id]);
    const others = ['2026-07-28', '1999-01-01', '2099-01-01', '', 'latest'].map((id): [string, unknown] => [
      id,
      '2025-11-25',
    ]);
    expect(agreed).toEqual(new Map([...sessions, ...others]));
  });

  it.each([
    ['no params', undefined],
    ['an array', []],
    ['no version', { capabilities: {}, clientInfo: { name: 'c', version: '1' } }],
    ['a number as version', { protocolVersion: 20241105, capabilities: {}, clientInfo: { name: 'c', version: '1' } }],
    ['no client', { protocolVersion: '2025-06-18', capabilities: {} }],
  ])('refuses a handshake with %s and stays open for a valid one', async (_, params) => {
    const { send, next } = openRaw(server);
    send(request(1, 'initialize', params));
    expect(await next()).toEqual(refused(-32602, 1));
    send(handshake('2025-06-18'));
    expect(await next()).toMatchObject({ result: { protocolVersion: '2025-06-18' } });
  });

  it('treats a request with an envelope as an exchange, even initialize, which is then unknown [e-version-15]', async () => {
    const { send, settled } = openRaw(server);
    send(request(1, 'initialize', envelope(handshake('2025-06-18').params as Json)));
    send(request(2, 'ping', envelope()));
    send(request(3, 'tools/list'));
    expect(inOrder(await settled())).toEqual([refused(-32601, 1), refused(-32601, 2), refused(-32602, 3)]);
  });

  it('serves both at once, and stores nothing of one request for the next [e-base-10, e-base-32, e-version-16, e-version-17]', async () => {
    const { send, settled } = openRaw(server);
    send(request(1, 'tools/call', envelope({ name: 'echo' })));
    send(request(2, 'tools/call', { name: 'echo' }));
    send(handshake('2024-11-05'));
    send(request(3, 'tools/call', { name: 'echo' }));
    send(request(4, 'tools/call', envelope({ name: 'echo' })));
    const complete = { ...here, resultType: 'complete' };
    const [alone, early, greeting, inSession, inEnvelope] = await settled();
    expect(alone).toMatchObject({ id: 1, result: complete });
    expect(early).toEqual(refused(-32602, 2));
    expect(greeting).toMatchObject({ id: 'hello', result: { protocolVersion: '2024-11-05' } });
    expect(inSession).toEqual({ jsonrpc: '2.0', id: 3, result: here });
    expect(inEnvelope).toMatchObject({ id: 4, result: complete });
  });

  it('answers server/discover with an envelope, and only then [e-version-03, e-discover-01, e-discover-07]', async () => {
    const { send, settled } = openRaw(server);
    send(request(1, 'server/discover', envelope()));
    send(handshake('2025-11-25'));
    send(request(3, 'server/discover'));
    const [discovered, , refusal] = await settled();
    expect(discovered).toEqual({
      jsonrpc: '2.0',
      id: 1,
      result: {
        resultType: 'complete',
        supportedVersions: protocolVersions.toReversed(),
        capabilities: { tools: { listChanged: true }, resources: { subscribe: true, listChanged: true }, logging: {} },
        ttlMs: expect.any(Number),
        cacheScope: expect.stringMatching(/^(public|private)$/),
        _meta: { 'io.modelcontextprotocol/serverInfo': { name: 'target', version: '1.0.0' } },
      },
    });
    expect(refusal).toEqual(refused(-32601, 3));
  });

  it.each(['2099-01-01', '2025-06-18', '', 'newest'])(
    'refuses the revision %j in an envelope and names the supported ones [e-version-01]',
    async (claim) => {
      const meta = { 'io.modelcontextprotocol/protocolVersion': claim };
      for (const session of [false, true]) {
        const { send, settled, next } = openRaw(server);
        if (session) send(handshake('2025-03-26'));
        if (session) await next();
        send(request(1, 'tools/list', envelope({}, meta)));
        const data = { supported: ['2026-07-28'], requested: claim };
        expect(await settled()).toMatchObject([{ id: 1, error: { code: -32022, data } }]);
      }
    },
  );

  it.each([null, 5, {}, ['2026-07-28'], true])('refuses %j as revision in an envelope', async (claim) => {
    const { send, settled } = openRaw(server);
    send(request(1, 'tools/list', envelope({}, { 'io.modelcontextprotocol/protocolVersion': claim })));
    expect(await settled()).toEqual([refused(-32602, 1)]);
  });

  it.each([undefined, null, 5, []])('refuses the client capabilities %j in an envelope [e-meta-10]', async (given) => {
    const { send, settled } = openRaw(server);
    send(request(1, 'tools/list', envelope({}, { 'io.modelcontextprotocol/clientCapabilities': given })));
    expect(await settled()).toEqual([refused(-32602, 1, expect.stringContaining('clientCapabilities'))]);
  });

  it('aborts running calls when the connection closes, and drops their late results', async () => {
    const received: AbortSignal[] = [];
    let finish = (_text: string): void => {};
    const slow = createServer({
      name: 'slow',
      version: '1',
      tools: {
        wait: tool({}, (_given, { signal }) => {
          received.push(signal);
          return new Promise<string>((resolve) => (finish = resolve));
        }),
      },
    });
    const { send, settled, transport, warnings } = openRaw(slow);
    send(request(1, 'tools/call', envelope({ name: 'wait' })));
    await settled();
    const ended = new Promise((resolve) => received[0]?.addEventListener('abort', resolve));
    transport.close();
    await ended;
    finish('too late');
    await new Promise((resolve) => setImmediate(resolve));
    expect(warnings).toEqual([]);
  });
});
