/** Server requests that may belong to several calls: cancelling one call resumes the timeouts of the others. */
import type { ProtocolVersion } from 'tenon';

import { describe, expect, it, onTestFinished } from 'vitest';
import { createFakeClock } from '../../../src/lib/time/fake-clock.ts';
import { withClock } from '../../../src/lib/time/internal-deadlines.ts';
import { deferred } from '../../kit/deferred.ts';
import type { Json } from '../../kit/transport/raw-connection.ts';
import { answer, scriptedAt } from '../../kit/transport/scripted-server.ts';
import { sessionVersions } from '../../kit/version-order.ts';
import { withTimeout } from '../../kit/with-timeout.ts';

const textResult = { content: [{ type: 'text', text: 'done' }] };
const nameOf = ({ params }: Json): unknown => (params as Json | undefined)?.name;

/** A server whose calls all hang. For a call of `ask` it sends a sampling request. */
async function samplingServer(revision: ProtocolVersion) {
  const clock = createFakeClock();
  const requested = deferred<AbortSignal>();
  const reply = deferred();
  const calls = new Map<unknown, Json>();
  const { client, send, received } = scriptedAt(
    revision,
    { tools: {} },
    (message) => {
      if (message.method !== 'tools/call') return {};
      calls.set(nameOf(message), message);
      const params = { messages: [], maxTokens: 1 };
      if (nameOf(message) === 'ask') send({ jsonrpc: '2.0', id: 'q', method: 'sampling/createMessage', params });
      return undefined;
    },
    {
      ...withClock(clock),
      timeoutMs: 1000,
      handlers: {
        sample: async (_request, { signal }) => {
          requested.resolve(signal);
          await reply.promise;
          return { role: 'assistant', content: { type: 'text', text: 'yes' }, model: 'm' };
        },
      },
    },
  );
  const opened = await client;
  onTestFinished(() => {
    const closing = opened.close({ timeoutMs: 1 });
    clock.advance(2);
    return closing;
  });
  const call = (name: string, signal?: AbortSignal): Promise<string> =>
    withTimeout(
      opened.tools.call(name, {}, signal && { signal }).then(
        () => 'done',
        ({ code }) => code,
      ),
      `the outcome of ${name}`,
    );
  return {
    clock,
    call,
    requested: () => withTimeout(requested.promise, 'the sampling request'),
    reply: () => reply.resolve(),
    answerTo: (name: string) => send(answer(calls.get(name) as Json, textResult)),
    /** The response to the sampling request, once everything sent before has arrived. */
    answered: async (): Promise<Json | undefined> => {
      await opened.ping();
      return received.find(({ id, method }) => id === 'q' && method === undefined);
    },
  };
}

describe.each(sessionVersions)('A server request at %s that may belong to several calls', (revision) => {
  it('stops pausing timeouts when one of them is cancelled, and is aborted with the last', async () => {
    const { call, requested, clock, answered } = await samplingServer(revision);
    const controller = new AbortController();
    const before = call('before');
    const calling = call('ask', controller.signal);
    const signal = await requested();
    const after = call('after');
    clock.advance(5000);
    controller.abort();
    expect(await calling).toBe('cancelled');
    expect(signal.aborted).toBe(false);
    clock.advance(1001);
    expect(await answered()).toMatchObject({ error: { code: -32603 } });
    expect([await before, await after]).toEqual(['timeout', 'timeout']);
    expect(signal.aborted).toBe(true);
  });

  it('keeps pausing the timeouts when one of them gets its result', async () => {
    const { call, requested, clock, answerTo, reply, answered } = await samplingServer(revision);
    const before = call('before');
    const calling = call('ask');
    const signal = await requested();
    answerTo('before');
    expect(await before).toBe('done');
    clock.advance(5000);
    reply();
    expect(await answered()).toMatchObject({ result: { model: 'm' } });
    expect(signal.aborted).toBe(false);
    answerTo('ask');
    expect(await calling).toBe('done');
  });

  it('can still be answered after one of them was cancelled, and timeouts run normally afterwards', async () => {
    const { call, requested, clock, answerTo, reply, answered } = await samplingServer(revision);
    const controller = new AbortController();
    const before = call('before', controller.signal);
    const calling = call('ask');
    await requested();
    controller.abort();
    expect(await before).toBe('cancelled');
    clock.advance(900);
    reply();
    expect(await answered()).toMatchObject({ result: { model: 'm' } });
    answerTo('ask');
    expect(await calling).toBe('done');
    const last = call('last');
    clock.advance(1001);
    expect(await last).toBe('timeout');
  });
});
