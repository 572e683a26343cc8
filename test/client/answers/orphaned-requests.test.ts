/** Server requests whose call has finished: the client aborts their handler, and timeouts run again. */
import type { ProtocolVersion } from 'tenon';
import { describe, expect, it, onTestFinished } from 'vitest';
import { createFakeClock } from '../../../src/lib/time/fake-clock.ts';
import { withClock } from '../../../src/lib/time/internal-deadlines.ts';
import { deferred } from '../../kit/deferred.ts';
import { form, formModes, opened } from '../../kit/server-request-modes.ts';
import type { Json } from '../../kit/transport/raw-connection.ts';
import { answer, scriptedAt } from '../../kit/transport/scripted-server.ts';
import { sessionVersions } from '../../kit/version-order.ts';

const sampling = { messages: [], maxTokens: 1 };
const serverRequest = (id: string, method = 'sampling/createMessage', params: Json = sampling): Json => ({
  jsonrpc: '2.0',
  id,
  method,
  params,
});
const textResult = { content: [{ type: 'text', text: 'done' }] };
const nameOf = ({ params }: Json): unknown => (params as Json | undefined)?.name;

/** A server whose calls all hang. For calls whose name begins with `ask` it first sends a sampling request. */
async function samplingServer(revision: ProtocolVersion, roots?: () => Promise<[]>) {
  const clock = createFakeClock();
  const signals: AbortSignal[] = [];
  let nextRequest = deferred<AbortSignal>();
  const calls = new Map<unknown, Json>();
  const { client, received, send } = scriptedAt(
    revision,
    { tools: {} },
    (message) => {
      if (message.method !== 'tools/call') return { tools: [] };
      calls.set(nameOf(message), message);
      if (String(nameOf(message)).startsWith('ask')) send(serverRequest(`q-${nameOf(message)}`));
      return undefined;
    },
    {
      ...withClock(clock),
      timeoutMs: 1000,
      handlers: {
        ...(roots && { roots }),
        sample: (_request, { signal }) => {
          signals.push(signal);
          nextRequest.resolve(signal);
          return new Promise(() => {});
        },
      },
    },
  );
  const opened = await client;
  onTestFinished(() => opened.close({ timeoutMs: 1 }));
  /** The signal of the next sampling request. */
  const requested = async (): Promise<AbortSignal> => {
    const signal = await nextRequest.promise;
    nextRequest = deferred();
    return signal;
  };
  const call = (name: string, signal?: AbortSignal): Promise<string> =>
    opened.tools.call(name, {}, signal && { signal }).then(
      () => 'done',
      ({ code }) => code,
    );
  const answerTo = (id: string): Json | undefined => received.find((one) => one.id === id && one.method === undefined);
  return { client: opened, clock, send, received, signals, requested, call, calls, answerTo };
}

const aborted = (signal: AbortSignal): Promise<void> =>
  new Promise((resolve) => (signal.aborted ? resolve() : signal.addEventListener('abort', () => resolve())));

describe.each(sessionVersions)('A server request at %s', (revision) => {
  it('is aborted and answered with an error when its call is cancelled, after the cancellation was sent', async () => {
    const { call, requested, client, received, answerTo } = await samplingServer(revision);
    const controller = new AbortController();
    const calling = call('ask', controller.signal);
    const signal = await requested();
    controller.abort();
    expect(await calling).toBe('cancelled');
    await aborted(signal);
    await client.ping();
    expect(answerTo('q-ask')).toMatchObject({ error: { code: -32603, message: expect.stringMatching(/is finished/) } });
    const cancelled = received.findIndex(({ method }) => method === 'notifications/cancelled');
    expect(cancelled).toBeGreaterThan(0);
    expect(cancelled).toBeLessThan(received.indexOf(answerTo('q-ask') as Json));
  });

  it('is aborted when its call gets a result, and when its call gets an error', async () => {
    const { call, calls, send, requested, answerTo, client } = await samplingServer(revision);
    const first = call('ask');
    const answered = await requested();
    send(answer(calls.get('ask') as Json, textResult));
    expect(await first).toBe('done');
    await aborted(answered);
    const second = call('ask again');
    const failed = await requested();
    send({ jsonrpc: '2.0', id: calls.get('ask again')?.id, error: { code: -32603, message: 'no' } });
    expect(await second).toBe(-32603);
    await aborted(failed);
    await client.ping();
    expect([answerTo('q-ask'), answerTo('q-ask again')]).toEqual([
      expect.objectContaining({ error: expect.anything() }),
      expect.objectContaining({ error: expect.anything() }),
    ]);
  });

  it('stops pausing the timeouts of other calls once its own call has finished', async () => {
    const { call, requested, clock } = await samplingServer(revision);
    const controller = new AbortController();
    const calling = call('ask', controller.signal);
    await requested();
    const other = call('hang');
    clock.advance(5000);
    controller.abort();
    expect(await calling).toBe('cancelled');
    clock.advance(1001);
    expect(await other).toBe('timeout');
    const last = call('hang');
    clock.advance(1001);
    expect(await last).toBe('timeout');
  });

  it('stays pending while any call that it may belong to is pending, and is aborted with the last', async () => {
    const { call, calls, send, requested, client } = await samplingServer(revision);
    const controller = new AbortController();
    const before = call('hang');
    const calling = call('ask', controller.signal);
    const signal = await requested();
    const after = call('hang after');
    controller.abort();
    expect(await calling).toBe('cancelled');
    await client.ping();
    expect(signal.aborted).toBe(false);
    send(answer(calls.get('hang') as Json, textResult));
    expect(await before).toBe('done');
    await aborted(signal);
    send(answer(calls.get('hang after') as Json, textResult));
    expect(await after).toBe('done');
  });

  it('that belongs to no call stays pending when calls finish, and pauses no timeout', async () => {
    const { call, calls, send, requested, client, clock } = await samplingServer(revision);
    send(serverRequest('q'));
    const signal = await requested();
    const calling = call('hang');
    await client.tools.list().all();
    send(answer(calls.get('hang') as Json, textResult));
    expect(await calling).toBe('done');
    const late = call('hang');
    clock.advance(1001);
    expect(await late).toBe('timeout');
    await client.ping();
    expect(signal.aborted).toBe(false);
  });

  it('for roots is answered even after the call has finished', async () => {
    const rootsResult = deferred<[]>();
    const looked = deferred();
    const { call, calls, send, answerTo, client, clock } = await samplingServer(revision, () => {
      looked.resolve();
      return rootsResult.promise;
    });
    const calling = call('hang');
    await client.ping();
    send(serverRequest('r', 'roots/list', {}));
    await looked.promise;
    send(answer(calls.get('hang') as Json, textResult));
    expect(await calling).toBe('done');
    const late = call('hang');
    clock.advance(1001);
    expect(await late).toBe('timeout');
    rootsResult.resolve([]);
    await client.ping();
    expect(answerTo('r')).toMatchObject({ result: { roots: [] } });
  });
});

it.each(formModes)('A call that is cancelled during an elicitation aborts the elicitation, $name', async (mode) => {
  const requested = deferred<AbortSignal>();
  const { client } = await opened(mode, async ({ elicit }) => (await elicit('a', form('a'))).action, {
    handlers: {
      elicitForm: (_request, { signal }) => {
        requested.resolve(signal);
        return new Promise(() => {});
      },
    },
  });
  const controller = new AbortController();
  const calling = client.tools.call('it', {}, { signal: controller.signal }).catch(({ code }) => code);
  const signal = await requested.promise;
  controller.abort();
  expect(await calling).toBe('cancelled');
  await aborted(signal);
  await client.close();
});
