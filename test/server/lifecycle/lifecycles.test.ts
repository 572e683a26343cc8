/** Rules of both lifecycles for every message: declared capabilities, reserved `_meta` keys, cancellation, errors. */
import { connect, createServer, prompt, RpcError, resource, resourceTemplate, TenonError, tool } from 'tenon';

import { protocolVersions } from 'tenon/protocol';
import { describe, expect, it } from 'vitest';
import { createDeadlines } from '../../../src/lib/time/deadlines.ts';
import { createFakeClock } from '../../../src/lib/time/fake-clock.ts';
import { withClock, withDeadlines } from '../../../src/lib/time/internal-deadlines.ts';
import { rpcErrorReasons } from '../../../src/protocol/error-meanings.ts';
import { errorName } from '../../../src/protocol/error-names.ts';
import { type RpcErrorReason, rpcError } from '../../../src/protocol/errors.ts';
import { newestExchange } from '../../../src/protocol/revisions/revisions.ts';
import { envelope, handshake, type Json, openRaw, request } from '../../kit/transport/raw-connection.ts';
import { answer, refuse, type Script, scriptedServer, session } from '../../kit/transport/scripted-server.ts';
import { sessionVersions } from '../../kit/version-order.ts';

const sessions = sessionVersions;
const discovered = {
  resultType: 'complete',
  supportedVersions: ['2026-07-28'],
  capabilities: { tools: {}, resources: {} },
  ttlMs: 0,
  cacheScope: 'private',
};
const exchange =
  (rest: Script): Script =>
  (message, send) =>
    message.method === 'server/discover' ? send(answer(message, discovered)) : rest(message, send);

describe.each(protocolVersions)('a server at %s', (revision) => {
  const declared = async (definition: object): Promise<unknown> => {
    const client = await connect(createServer({ name: 's', version: '1', ...definition }), {
      protocolVersions: [revision],
    });
    await client.close();
    return client.capabilities;
  };
  const lists = { listChanged: true };
  const completes = revision === '2024-11-05' ? {} : { completions: {} };
  const complete = { a: () => [] };

  it('declares the capabilities of its features, and no others [s-lifecycle-03, s-lifecycle-18, e-trust-04]', async () => {
    const logging = {};
    expect(await declared({})).toEqual({ logging });
    expect(await declared({ tools: {} })).toEqual({ logging, tools: lists });
    expect(await declared({ prompts: { p: prompt({}, () => '') } })).toEqual({ logging, prompts: lists });
    const resources = { subscribe: true, ...lists };
    expect(await declared({ resources: { 'a://b': resource({}, () => '') } })).toEqual({ logging, resources });
    const resourceTemplates = { 'a://{a}': resourceTemplate({ complete }, () => '') };
    expect(await declared({ resourceTemplates })).toEqual({ logging, resources, ...completes });
  });

  it('ignores reserved keys in `_meta` that are not defined [s-base-23, e-meta-01]', async () => {
    const { send, settled } = openRaw(createServer({ name: 's', version: '1', tools: {} }));
    const isSession = revision !== '2026-07-28';
    if (isSession) send(handshake(revision));
    await settled();
    const odd = { 'io.modelcontextprotocol/unknown': 5, 'dev.mcp/': null, 'modelcontextprotocol.io/x': [] };
    send(request(1, 'tools/list', isSession ? { _meta: odd } : envelope({}, odd)));
    expect(await settled()).toMatchObject([{ id: 1, result: { tools: [] } }]);
  });
});

describe.each(sessions)('a call in a session at %s', (revision) => {
  it('is cancelled when it times out, and a late result is dropped [s-lifecycle-25, s-lifecycle-25@2024-11-05, s-lifecycle-26, s-lifecycle-27]', async () => {
    const clock = createFakeClock();
    const raw = scriptedServer(
      session({ capabilities: { tools: {} } }, (message, send) => {
        if (message.method === 'tools/call') clock.advance(50);
        if (message.method === 'notifications/cancelled') send(answer({ id: 2 }, { content: [] }));
        if (message.method === 'ping') send(answer(message, {}));
      }),
    );
    const warnings: unknown[] = [];
    const deadlines = createDeadlines(clock);
    const onWarning = (warning: unknown) => warnings.push(warning);
    const client = await connect(raw.transport, {
      protocolVersions: [revision],
      ...withDeadlines(deadlines),
      onWarning,
    });
    await expect(client.tools.call('slow', {}, { timeoutMs: 50 })).rejects.toMatchObject({ code: 'timeout' });
    await client.ping();
    expect(raw.received.find(({ method }) => method === 'notifications/cancelled')?.params).toMatchObject({
      requestId: 2,
    });
    expect(warnings).toEqual([]);
    await client.close();
  });

  it('has a timeout that progress does not extend [s-lifecycle-29]', async () => {
    const clock = createFakeClock();
    const raw = scriptedServer(
      session({ capabilities: { tools: {} } }, ({ method, params }, send) => {
        if (method !== 'tools/call') return;
        const { progressToken } = (params as { _meta: Json })._meta;
        send({ jsonrpc: '2.0', method: 'notifications/progress', params: { progressToken, progress: 1 } });
        queueMicrotask(() => queueMicrotask(() => clock.advance(50)));
      }),
    );
    const client = await connect(raw.transport, { protocolVersions: [revision], ...withClock(clock) });
    const received: unknown[] = [];
    const call = client.tools.call('slow', {}, { timeoutMs: 50, onProgress: (progress) => received.push(progress) });
    await expect(call).rejects.toMatchObject({ code: 'timeout' });
    expect(received).toEqual([{ progress: 1 }]);
    await client.close();
  });
});

describe('an exchange', () => {
  it('treats a result without resultType as complete, and rejects an unknown resultType [e-base-13, e-base-14, e-base-15]', async () => {
    const content = [{ type: 'text', text: 'here' }];
    const answers = [
      { content },
      { content, resultType: 'complete' },
      { content, resultType: 'partial' },
      { content, resultType: 5 },
    ];
    const raw = scriptedServer(exchange((message, send) => send(answer(message, answers.shift()))));
    const client = await connect(raw.transport);
    expect((await client.tools.call('x')).content).toEqual(content);
    expect((await client.tools.call('x')).content).toEqual(content);
    await expect(client.tools.call('x')).rejects.toMatchObject({ code: 'invalid-result' });
    await expect(client.tools.call('x')).rejects.toMatchObject({ code: 'invalid-result' });
    await client.close();
  });

  it('gives server-defined error codes no meaning, except -32002 (resource not found) [e-base-22, e-base-27]', async () => {
    for (let code = -32019; code <= -32000; code++)
      expect([code, errorName(newestExchange.errorNumbers, code)]).toEqual([
        code,
        code === -32002 ? 'resource-not-found' : 'unknown',
      ]);
    const raw = scriptedServer(exchange((message, send) => send(refuse(message, -32002))));
    const client = await connect(raw.transport);
    await expect(client.resources.read('a://b')).rejects.toMatchObject({ reason: 'resource-not-found', code: -32002 });
    await client.close();
  });

  it('sends no error code of the reserved range except the three that are defined [e-base-21, e-base-23, e-base-24]', () => {
    const reserved = Object.keys(rpcErrorReasons).flatMap((name) => {
      const { code } = newestExchange.wire.writeError(newestExchange, rpcError(name as RpcErrorReason, ''));
      return code <= -32000 && code >= -32099 ? [[name, code]] : [];
    });
    expect(reserved).toEqual([
      ['header-mismatch', -32020],
      ['missing-client-capability', -32021],
      ['unsupported-protocol-version', -32022],
    ]);
  });

  it('distinguishes its own errors from errors of the peer by class [e-base-28]', async () => {
    const clock = createFakeClock();
    const raw = scriptedServer(
      exchange((message, send) => {
        if (message.method === 'tools/call') clock.advance(60_000);
        else if (message.id !== undefined) send(refuse(message, -31408));
      }),
    );
    const client = await connect(raw.transport, { ...withClock(clock) });
    const local = await client.tools.call('x').catch((failure) => failure);
    const remote = await client.resources.read('a://b').catch((failure) => failure);
    expect(local).toBeInstanceOf(TenonError);
    expect(local).toMatchObject({ code: 'timeout' });
    expect(remote).toBeInstanceOf(RpcError);
    expect(remote).toMatchObject({ code: -31408, reason: 'timeout' });
    await client.close();
  });

  it('never answers a notification, on either side [e-base-30]', async () => {
    const { send, settled } = openRaw(createServer({ name: 's', version: '1', tools: {} }));
    for (const method of ['notifications/cancelled', 'notifications/unknown', 'tools/list'])
      send({ jsonrpc: '2.0', method, params: envelope() });
    expect(await settled()).toEqual([]);

    const raw = scriptedServer(
      exchange((message, send) => {
        for (const method of ['notifications/unknown', 'tools/list', 'ping']) send({ jsonrpc: '2.0', method });
        send(answer(message, { content: [] }));
      }),
    );
    const client = await connect(raw.transport);
    await client.tools.call('x');
    await client.close();
    expect(raw.methods()).toEqual(['server/discover', 'tools/call']);
  });

  it('uses the capabilities that the request itself declares, not those of an earlier request [e-base-32, e-meta-13]', async () => {
    const server = createServer({
      name: 's',
      version: '1',
      tools: { can: tool({}, (_given, ctx) => `${ctx.clientSupports('roots')} ${ctx.caller.clientInfo?.name}`) },
    });
    const { send, settled } = openRaw(server);
    const clientCapabilities = 'io.modelcontextprotocol/clientCapabilities';
    const clientInfo = 'io.modelcontextprotocol/clientInfo';
    const me = { [clientCapabilities]: { roots: {} }, [clientInfo]: { name: 'me', version: '1' } };
    send(request(1, 'tools/call', envelope({ name: 'can' }, me)));
    send(request(2, 'tools/call', envelope({ name: 'can' })));
    const texts = (await settled()).map(({ result: answer }) => (answer as { content: Json[] }).content[0]?.text);
    expect(texts).toEqual(['true me', 'false undefined']);
  });
});
