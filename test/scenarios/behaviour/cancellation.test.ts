import { connect, createServer, serveHttp, type TenonError, tool } from 'tenon';
import { protocolVersions } from 'tenon/protocol';
import { describe, expect, it, onTestFinished } from 'vitest';
import { createFakeClock } from '../../../src/lib/time/fake-clock.ts';
import { withClock } from '../../../src/lib/time/internal-deadlines.ts';
import { deferred } from '../../kit/deferred.ts';
import { type Json, openAt } from '../../kit/transport/raw-connection.ts';
import { recorded } from '../../kit/transport/recorded-connection.ts';
import { answer, scripted, scriptedAt } from '../../kit/transport/scripted-server.ts';
import { sessionVersions } from '../../kit/version-order.ts';

/** A server with one tool: `begun` resolves when it runs, `stopped` when it is aborted. */
function slowServer() {
  const { promise: begun, resolve: begin } = deferred();
  const { promise: stopped, resolve: stop } = deferred<unknown>();
  const server = createServer({
    name: 'slow',
    version: '1',
    tools: {
      wait: tool({}, async (_given, { signal }) => {
        signal.addEventListener('abort', () => stop(signal.reason));
        begin();
        await stopped;
        return 'stopped';
      }),
    },
  });
  return { server, begun, stopped };
}

const cancelled = (messages: Json[]): unknown[] =>
  messages.filter(({ method }) => method === 'notifications/cancelled').map(({ params }) => params);

describe.each(protocolVersions)('the reason of a cancellation at %s', (revision) => {
  it('that the caller gives is sent, and reaches the handler [S15]', async () => {
    const { server, begun, stopped } = slowServer();
    const sent: Json[] = [];
    const watching = recorded(server, ({ from, message }) => from === 'client' && sent.push(message));
    await using client = await connect(watching, { protocolVersions: [revision] });
    const controller = new AbortController();
    const call = client.tools.call('wait', {}, { signal: controller.signal });
    await begun;
    controller.abort(new Error('User cancelled'));
    await expect(call).rejects.toMatchObject({ code: 'cancelled' });
    expect(cancelled(sent)).toMatchObject([{ reason: 'User cancelled' }]);
    expect(await stopped).toMatchObject({
      code: 'cancelled',
      message: 'The client cancelled the request: User cancelled',
      details: { reason: 'User cancelled' },
    });
  });

  it.each([
    ['no reason', undefined, 'cancelled'],
    ['a value that is no text', { secret: 'x' }, 'cancelled'],
    ['an empty text', '', 'cancelled'],
    ['a text that is too long', 'x'.repeat(10_000), `${'x'.repeat(499)}…`],
  ])('that the caller gives as %s is bounded [S15]', async (_what, reason, expected) => {
    const controller = new AbortController();
    const { client, received } = scriptedAt(revision, { tools: {} }, ({ params }) => {
      if ((params as Json).name !== 'slow') return { content: [] };
      queueMicrotask(() => controller.abort(reason));
      return undefined;
    });
    const { tools } = await client;
    await expect(tools.call('slow', {}, { signal: controller.signal })).rejects.toMatchObject({ code: 'cancelled' });
    await tools.call('next');
    expect(cancelled(received)).toMatchObject([{ reason: expected }]);
  });
});

describe.each(sessionVersions)('a reason that the other side gives at %s', (revision) => {
  it('crosses a session over HTTP too [S15]', async () => {
    const { server, begun, stopped } = slowServer();
    const service = await serveHttp(server, { port: 0 });
    onTestFinished(() => service.close());
    await using client = await connect(service.url, { protocolVersions: [revision] });
    const controller = new AbortController();
    const call = client.tools.call('wait', {}, { signal: controller.signal });
    await begun;
    controller.abort('User cancelled');
    await expect(call).rejects.toMatchObject({ code: 'cancelled' });
    expect(await stopped).toMatchObject({ code: 'cancelled', details: { reason: 'User cancelled' } });
  });

  it('is bounded and escaped before a handler of the server gets it [S15]', async () => {
    const { server, begun, stopped } = slowServer();
    const { send } = await openAt(server, revision);
    send({ jsonrpc: '2.0', id: 'c', method: 'tools/call', params: { name: 'wait' } });
    await begun;
    const reason = `a\n\u001b[2J\u202e${'b'.repeat(10_000)}`;
    send({ jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: 'c', reason } });
    const { details } = (await stopped) as TenonError;
    expect(details.reason).toMatch(/^a\\n\\u001b\[2J\\u202eb+…$/);
    expect((details.reason as string).length).toBe(500);
  });
});

describe.each(protocolVersions)('cancellation at %s', (revision) => {
  it('by a signal ends the call on both sides [e-cancel-01, e-cancel-13, s-cancellation-04, s-cancellation-05]', async () => {
    const { server, begun, stopped } = slowServer();
    const client = await connect(server, { protocolVersions: [revision] });
    const controller = new AbortController();
    const call = client.tools.call('wait', {}, { signal: controller.signal });
    await begun;
    controller.abort('enough');
    await expect(call).rejects.toMatchObject({ code: 'cancelled' });
    expect(await stopped).toMatchObject({ code: 'cancelled', details: { reason: 'enough' } });
  });

  it('names the request, is sent once, and a late answer is dropped [e-cancel-05, e-cancel-11, e-cancel-15, e-cancel-16, e-schema-14, s-cancellation-01, s-cancellation-08, s-cancellation-09, s-cancellation-13, s-cancellation-13@2025-06-18]', async () => {
    const controller = new AbortController();
    const { client, received, send, warnings } = scriptedAt(revision, { tools: {} }, ({ params }) => {
      if ((params as Json).name !== 'slow') return { content: [] };
      queueMicrotask(() => controller.abort());
      return undefined;
    });
    const { tools } = await client;
    await expect(tools.call('slow', {}, { signal: controller.signal })).rejects.toMatchObject({ code: 'cancelled' });
    const slow = received.find(({ params }) => (params as Json)?.name === 'slow') as Json;
    send(answer(slow, { resultType: 'complete', content: [] }));
    expect(await tools.call('next')).toMatchObject({ content: [] });
    expect(cancelled(received)).toEqual([expect.objectContaining({ requestId: slow.id })]);
    expect(received.find(({ method }) => method === 'notifications/cancelled')).not.toHaveProperty('id');
    expect(warnings).toEqual([]);
  });

  it('before a call is sent: nothing is sent', async () => {
    const { client, received } = scriptedAt(revision, { tools: {} }, () => ({ content: [] }));
    const { tools } = await client;
    const before = received.length;
    const call = tools.call('x', {}, { signal: AbortSignal.abort() });
    await expect(call).rejects.toMatchObject({ code: 'cancelled' });
    await tools.call('y');
    expect(cancelled(received)).toEqual([]);
    expect(received.slice(before).filter(({ method }) => method === 'tools/call')).toHaveLength(1);
  });

  it('is sent when a call times out, with the timeout of the client or of the call [e-cancel-06, e-cancel-07, e-cancel-08, s-tools-33]', async () => {
    const clock = createFakeClock();
    const called: Array<() => void> = [];
    const { client, received } = scriptedAt(
      revision,
      { tools: {} },
      ({ params }) => {
        const { name } = params as Json;
        if (name === 'quick') return { content: [] };
        called.shift()?.();
        return undefined;
      },
      { ...withClock(clock), timeoutMs: 60_000 },
    );
    const { tools } = await client;
    for (const [options, ms] of [
      [{}, 60_000],
      [{ timeoutMs: 5 }, 5],
    ] as const) {
      const arrived = new Promise<void>((resolve) => called.push(resolve));
      const call = tools.call('slow', {}, options);
      const failure = call.catch((error) => error);
      await arrived;
      clock.advance(ms);
      expect(await failure).toMatchObject({ code: 'timeout' });
    }
    await tools.call('quick');
    const slow = received.filter(({ params }) => (params as Json)?.name === 'slow').map(({ id }) => id);
    expect(cancelled(received)).toMatchObject(slow.map((requestId) => ({ requestId })));
    expect(clock.pending).toBe(0);
  });

  it('of an unknown or answered request, or with malformed params, changes nothing [e-cancel-14, e-cancel-19, s-cancellation-07, s-cancellation-12]', async () => {
    const server = createServer({ name: 's', version: '1', tools: { quick: tool({}, () => 'here') } });
    const { ask, send, settled } = await openAt(server, revision);
    send(ask(1, 'tools/call', { name: 'quick' }));
    for (const params of [{ requestId: 1 }, { requestId: '1' }, { requestId: 99 }, { requestId: null }, {}, undefined])
      send({ jsonrpc: '2.0', method: 'notifications/cancelled', ...(params && { params }) });
    send(ask(2, 'tools/call', { name: 'quick' }));
    expect(await settled()).toMatchObject([1, 2].map((id) => ({ id, result: { content: [{ text: 'here' }] } })));
  });
});

describe.each(sessionVersions)('cancellation in a session at %s', (revision) => {
  it('is never sent for the handshake, even when that times out [s-cancellation-02]', async () => {
    const clock = createFakeClock();
    const opening = deferred();
    const { client, received, ended } = scripted(() => opening.resolve(), {
      protocolVersions: [revision],
      ...withClock(clock),
      timeoutMs: 10,
    });
    const failure = client.catch((error) => error);
    await opening.promise;
    clock.advance(10);
    expect(await failure).toMatchObject({ code: 'timeout' });
    await ended;
    expect(received.map(({ method }) => method)).toEqual(['initialize']);
  });

  it('by the server cancels a server request, whose answer is then not sent [S15, s-cancellation-01, s-cancellation-04, s-cancellation-06]', async () => {
    const requested = deferred<AbortSignal>();
    const release = deferred();
    const { client, received, send } = scriptedAt(
      revision,
      { tools: {} },
      ({ params }) => {
        if ((params as Json).name === 'next') return { content: [] };
        const text = { type: 'text', text: 'hello' };
        const messages = [{ role: 'user', content: text }];
        send({ jsonrpc: '2.0', id: 'q', method: 'sampling/createMessage', params: { messages, maxTokens: 5 } });
        return undefined;
      },
      {
        handlers: {
          async sample(_request, { signal }) {
            requested.resolve(signal);
            await release.promise;
            return { role: 'assistant', model: 'm', content: { type: 'text', text: 'too late' } };
          },
        },
      },
    );
    const { tools } = await client;
    const waiting = tools.call('ask').catch(() => {});
    const signal = await requested.promise;
    const aborted = new Promise((resolve) => signal.addEventListener('abort', resolve));
    send({ jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: 'q', reason: 'enough' } });
    await aborted;
    expect(signal.reason).toMatchObject({ code: 'cancelled', details: { reason: 'enough' } });
    release.resolve();
    await tools.call('next');
    await tools.call('next');
    expect(received.filter(({ id }) => id === 'q')).toEqual([]);
    await (await client).close({ timeoutMs: 1 });
    await waiting;
  });
});
