/** Questions whose call is over, put by servers that do not take them back: nobody is asked on, and time runs again. */
import { type ProtocolVersion, protocolVersions } from 'tenon';
import { describe, expect, it, onTestFinished } from 'vitest';
import { withClock } from '../../../src/client/api/internal-deadlines.ts';
import { createFakeClock } from '../../../src/jsonrpc/fake-clock.ts';
import type { Json } from '../../kit/channel/raw-connection.ts';
import { answer, scriptedAt } from '../../kit/channel/scripted-server.ts';
import { deferred } from '../../kit/deferred.ts';
import { form, formModes, opened } from '../../kit/server-request-modes.ts';

const sampling = { messages: [], maxTokens: 1 };
const question = (id: string, method = 'sampling/createMessage', params: Json = sampling): Json => ({
  jsonrpc: '2.0',
  id,
  method,
  params,
});
const textResult = { content: [{ type: 'text', text: 'done' }] };
const nameOf = ({ params }: Json): unknown => (params as Json | undefined)?.name;

/** A server whose calls all hang; those that begin with `ask` have it put a question first. */
async function requesting(revision: ProtocolVersion, roots?: () => Promise<[]>) {
  const clock = createFakeClock();
  const signals: AbortSignal[] = [];
  let notifyRequested = deferred<AbortSignal>();
  const calls = new Map<unknown, Json>();
  const { client, received, send } = scriptedAt(
    revision,
    { tools: {} },
    (message) => {
      if (message.method !== 'tools/call') return { tools: [] };
      calls.set(nameOf(message), message);
      if (String(nameOf(message)).startsWith('ask')) send(question(`q-${nameOf(message)}`));
      return undefined;
    },
    {
      ...withClock(clock),
      timeoutMs: 1000,
      handlers: {
        ...(roots && { roots }),
        sample: (_request, { signal }) => {
          signals.push(signal);
          notifyRequested.resolve(signal);
          return new Promise(() => {});
        },
      },
    },
  );
  const opened = await client;
  onTestFinished(() => opened.close({ timeoutMs: 1 }));
  /** The signal of the question that comes next. */
  const requested = async (): Promise<AbortSignal> => {
    const signal = await notifyRequested.promise;
    notifyRequested = deferred();
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

describe.each(protocolVersions.filter((id) => id !== '2026-07-28'))('A question in a session at %s', (revision) => {
  it('is given up and refused when the call that it was put for is cancelled, after the server was told of that', async () => {
    const { call, requested, client, received, answerTo } = await requesting(revision);
    const giveUp = new AbortController();
    const calling = call('ask', giveUp.signal);
    const signal = await requested();
    giveUp.abort();
    expect(await calling).toBe('cancelled');
    await aborted(signal);
    await client.ping();
    expect(answerTo('q-ask')).toMatchObject({ error: { code: -32603, message: expect.stringMatching(/is over/) } });
    const notified = received.findIndex(({ method }) => method === 'notifications/cancelled');
    expect(notified).toBeGreaterThan(0);
    expect(notified).toBeLessThan(received.indexOf(answerTo('q-ask') as Json));
  });

  it('is given up when the call is answered without it, and when it is failed', async () => {
    const { call, calls, send, requested, answerTo, client } = await requesting(revision);
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

  it('keeps no other call from its time-out once its own is over', async () => {
    const { call, requested, clock } = await requesting(revision);
    const giveUp = new AbortController();
    const calling = call('ask', giveUp.signal);
    await requested();
    const other = call('hang');
    clock.advance(5000);
    giveUp.abort();
    expect(await calling).toBe('cancelled');
    clock.advance(1001);
    expect(await other).toBe('timeout');
    const last = call('hang');
    clock.advance(1001);
    expect(await last).toBe('timeout');
  });

  it('stays while one of the calls that it may be put for waits, and goes with the last of them', async () => {
    const { call, calls, send, requested, client } = await requesting(revision);
    const giveUp = new AbortController();
    const before = call('hang');
    const calling = call('ask', giveUp.signal);
    const signal = await requested();
    const after = call('hang after');
    giveUp.abort();
    expect(await calling).toBe('cancelled');
    await client.ping();
    expect(signal.aborted).toBe(false);
    send(answer(calls.get('hang') as Json, textResult));
    expect(await before).toBe('done');
    await aborted(signal);
    send(answer(calls.get('hang after') as Json, textResult));
    expect(await after).toBe('done');
  });

  it('that was put for no call stays whatever calls come and go, and holds none of them up', async () => {
    const { call, calls, send, requested, client, clock } = await requesting(revision);
    send(question('q'));
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

  it('for roots is answered also when the call is over', async () => {
    const go = deferred<[]>();
    const looked = deferred();
    const { call, calls, send, answerTo, client, clock } = await requesting(revision, () => {
      looked.resolve();
      return go.promise;
    });
    const calling = call('hang');
    await client.ping();
    send(question('r', 'roots/list', {}));
    await looked.promise;
    send(answer(calls.get('hang') as Json, textResult));
    expect(await calling).toBe('done');
    const late = call('hang');
    clock.advance(1001);
    expect(await late).toBe('timeout');
    go.resolve([]);
    await client.ping();
    expect(answerTo('r')).toMatchObject({ result: { roots: [] } });
  });
});

it.each(formModes)('A call that is cancelled while its user is asked stops asking, $name', async (mode) => {
  const requested = deferred<AbortSignal>();
  const { client } = await opened(mode, async ({ elicit }) => (await elicit('a', form('a'))).action, {
    handlers: {
      elicitForm: (_request, { signal }) => {
        requested.resolve(signal);
        return new Promise(() => {});
      },
    },
  });
  const giveUp = new AbortController();
  const calling = client.tools.call('it', {}, { signal: giveUp.signal }).catch(({ code }) => code);
  const signal = await requested.promise;
  giveUp.abort();
  expect(await calling).toBe('cancelled');
  await aborted(signal);
  await client.close();
});
