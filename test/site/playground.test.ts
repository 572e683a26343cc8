/** The playground without a browser: the port of its page, and its backend at the other end of a channel. */
import { expect, it, onTestFinished } from 'vitest';
import type { ApiPort } from '../../apps/inspector/src/api/port.ts';
import { createPlayground, openPlayground } from '../../apps/playground/src/backend.ts';
import { serveBackend } from '../../apps/playground/src/serve-backend.ts';
import { type Messages, workerPort } from '../../apps/playground/src/worker-port.ts';
import type { ApiCallName, ApiCalls, InspectorEvent } from '../../src/inspector/api.ts';
import { withTimeout } from '../kit/with-timeout.ts';

type Change<T extends InspectorEvent['type']> = Extract<InspectorEvent, { type: T }>;

function opened() {
  const { port1, port2 } = new MessageChannel();
  const backend = createPlayground();
  serveBackend(backend, port2 as unknown as Messages, openPlayground(backend));
  onTestFinished(async () => {
    port1.close();
    await backend.close();
  });
  return connected(workerPort(port1 as unknown as Messages));
}

function connected(port: ApiPort) {
  const events: InspectorEvent[] = [];
  const waiting = new Set<() => void>();
  const stop = new AbortController();
  const followed = (async () => {
    for await (const some of port.events(0, stop.signal, () => {})) {
      events.push(...some);
      for (const check of waiting) check();
    }
  })();
  return {
    events,
    port,
    async stop() {
      stop.abort();
      await followed;
    },
    async call<Name extends ApiCallName>(
      name: Name,
      request: ApiCalls[Name]['request'],
    ): Promise<ApiCalls[Name]['result']> {
      const answer = await port.send(name, request);
      if (!answer.ok) throw Object.assign(new Error(answer.error.message), answer.error);
      return answer.result as ApiCalls[Name]['result'];
    },
    event: <T extends InspectorEvent['type']>(type: T, holds: (event: Change<T>) => boolean) =>
      withTimeout(
        new Promise<Change<T>>((resolve) => {
          const check = (): void => {
            const found = events.find((event) => event.type === type && holds(event as Change<T>));
            if (found !== undefined) resolve(found as Change<T>);
          };
          waiting.add(check);
          check();
        }),
        `an event ${type}`,
      ),
  };
}

type Playground = ReturnType<typeof opened>;

const ready = ({ event }: Playground, client: string) =>
  event('client', (change) => change.client.id === client && change.client.state === 'ready');

it('opens with two clients of its server, the newer version first', async () => {
  const playground = opened();
  const overview = await playground.call('overview', {});
  expect(overview).toMatchObject({ offeredOnly: true, first: { client: 'c1' }, suggestion: { tool: 'forecast' } });
  const [one, other] = await Promise.all([ready(playground, 'c1'), ready(playground, 'c2')]);
  const [newest, before] = overview.protocolVersions;
  expect([one.client.protocolVersion, other.client.protocolVersion]).toEqual([newest, before]);
  expect([one.client.hasSession, other.client.hasSession]).toEqual([false, true]);
});

it.each(['c1', 'c2'])('the client %s calls a tool, answers a form, and sees progress', async (client) => {
  const playground = opened();
  await ready(playground, client);
  const finished = async (name: string) => {
    const request = { kind: 'tool', name, arguments: { city: 'Oslo' } } as const;
    const { run } = await playground.call('run', { client, request });
    if (name === 'book') {
      const { question } = await playground.event('question', ({ question: { runs } }) => runs.includes(run.id));
      await playground.call('answer', {
        question: question.id,
        answer: { action: 'accept', content: { people: 2 } },
      });
    }
    await playground.event('run', (change) => change.run.id === run.id && change.run.status !== 'running');
    return playground.call('result', { run: run.id });
  };
  expect((await finished('forecast')).result).toMatchObject({
    structuredContent: { days: [{ day: 'Monday' }, {}, {}, {}, {}] },
  });
  expect((await finished('book')).result).toMatchObject({ content: [{ text: 'Oslo is booked for 2' }] });
  const { run } = await finished('report');
  expect(run).toMatchObject({ status: 'done', progress: { progress: 5, total: 5 } });
});

it('connects to nothing but its own server', async () => {
  const { call } = opened();
  const elsewhere = [
    { kind: 'url', url: 'http://127.0.0.1:1/mcp' },
    { kind: 'command', command: 'node', args: [] },
  ] as const;
  for (const target of elsewhere)
    await expect(call('connect', { target })).rejects.toMatchObject({ code: 'invalid-request' });
  expect((await call('overview', {})).clients).toHaveLength(2);
});

it('answers a call that it does not know with an error, and sends no event after a page has stopped', async () => {
  const playground = opened();
  await ready(playground, 'c1');
  expect(await playground.port.send('dance', {})).toMatchObject({ ok: false, error: { code: 'unknown-call' } });
  await playground.stop();
  const before = playground.events.length;
  await playground.call('ping', { client: 'c1' });
  expect(playground.events).toHaveLength(before);
});
