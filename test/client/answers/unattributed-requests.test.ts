/** Questions that may be of several calls: one call given up lets time run for the others, one answered does not. */

import { type ProtocolVersion, protocolVersions } from 'tenon';
import { describe, expect, it, onTestFinished } from 'vitest';
import { withClock } from '../../../src/client/api/internal-deadlines.ts';
import { createFakeClock } from '../../../src/jsonrpc/fake-clock.ts';
import type { Json } from '../../kit/channel/raw-connection.ts';
import { answer, scriptedAt } from '../../kit/channel/scripted-server.ts';
import { deferred } from '../../kit/deferred.ts';
import { withTimeout } from '../../kit/with-timeout.ts';

const textResult = { content: [{ type: 'text', text: 'done' }] };
const nameOf = ({ params }: Json): unknown => (params as Json | undefined)?.name;

/** A server whose calls all hang; that of `ask` has it put a question. */
async function requesting(revision: ProtocolVersion) {
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
      `the end of ${name}`,
    );
  return {
    clock,
    call,
    requested: () => withTimeout(requested.promise, 'the question'),
    reply: () => reply.resolve(),
    answerTo: (name: string) => send(answer(calls.get(name) as Json, textResult)),
    /** How the question was answered, once all that was said before has come. */
    answered: async (): Promise<Json | undefined> => {
      await opened.ping();
      return received.find(({ id, method }) => id === 'q' && method === undefined);
    },
  };
}

describe.each(protocolVersions.filter((id) => id !== '2026-07-28'))(
  'A question at %s that may be of several calls',
  (revision) => {
    it('holds the others up no longer when one of them is cancelled, and ends with the last', async () => {
      const { call, requested, clock, answered } = await requesting(revision);
      const giveUp = new AbortController();
      const before = call('before');
      const calling = call('ask', giveUp.signal);
      const signal = await requested();
      const after = call('after');
      clock.advance(5000);
      giveUp.abort();
      expect(await calling).toBe('cancelled');
      expect(signal.aborted).toBe(false);
      clock.advance(1001);
      expect(await answered()).toMatchObject({ error: { code: -32603 } });
      expect([await before, await after]).toEqual(['timeout', 'timeout']);
      expect(signal.aborted).toBe(true);
    });

    it('holds them up as before when one of them is answered', async () => {
      const { call, requested, clock, answerTo, reply, answered } = await requesting(revision);
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

    it('can still be answered when one of them was cancelled, and time runs once', async () => {
      const { call, requested, clock, answerTo, reply, answered } = await requesting(revision);
      const giveUp = new AbortController();
      const before = call('before', giveUp.signal);
      const calling = call('ask');
      await requested();
      giveUp.abort();
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
  },
);
