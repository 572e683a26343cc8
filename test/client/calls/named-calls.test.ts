/** Errors of calls that time out or are cancelled name the tool, the prompt or the resource. */
import { type Client, connect, createClient, createServer, prompt, resource, tool } from 'tenon';
import { createFakeClock } from 'tenon/test';
import type { Transport } from 'tenon/transport';
import { beforeEach, expect, it } from 'vitest';
import { withClock } from '../../../src/lib/time/internal-deadlines.ts';
import { deferred } from '../../kit/deferred.ts';

/** Resolves when a handler runs. */
let started = deferred<void>();
const never = () => {
  started.resolve();
  return new Promise<never>(() => {});
};
beforeEach(() => {
  started = deferred<void>();
});

const server = createServer({
  name: 's',
  version: '1',
  tools: { weather: tool({}, never) },
  prompts: { summary: prompt({}, never) },
  resources: { 'a://b': resource({}, never) },
});

type Run = (client: Client, options: { signal?: AbortSignal; timeoutMs?: number }) => Promise<unknown>;

const calls: readonly [string, Run][] = [
  ['tools/call "weather"', (client, options) => client.tools.call('weather', {}, options)],
  ['prompts/get "summary"', (client, options) => client.prompts.get('summary', {}, options)],
  ['resources/read "a://b"', (client, options) => client.resources.read('a://b', options)],
];

it.each(calls)('%s is named when it times out', async (shown, run) => {
  const clock = createFakeClock();
  await using client = await connect(server, withClock(clock));
  const failure = run(client as never, { timeoutMs: 500 }).catch((error: unknown) => error);
  await started.promise;
  clock.advance(500);
  expect(await failure).toMatchObject({ code: 'timeout', message: `${shown} had no answer within 500 ms.` });
});

it.each(calls)('%s is named when it is cancelled', async (shown, run) => {
  await using client = await connect(server);
  const controller = new AbortController();
  const failure = run(client as never, { signal: controller.signal }).catch((error: unknown) => error);
  await started.promise;
  controller.abort();
  expect(await failure).toMatchObject({ code: 'cancelled', message: `${shown} was cancelled.` });
});

it.each(calls)('%s is named when it times out or is cancelled before there is a connection', async (shown, run) => {
  const clock = createFakeClock();
  const mute = { accept: (transport: Transport) => transport.open({ onMessage() {}, onClose() {} }) };
  const client = createClient(mute, withClock(clock));
  const late = run(client as never, { timeoutMs: 500 }).catch((error: unknown) => error);
  const controller = new AbortController();
  const cancelled = run(client as never, { signal: controller.signal }).catch((error: unknown) => error);
  controller.abort();
  expect(await cancelled).toMatchObject({ code: 'cancelled', message: expect.stringContaining(`${shown} was `) });
  clock.advance(500);
  expect(await late).toMatchObject({
    code: 'timeout',
    message: expect.stringContaining(`${shown} was not sent: there was no connection within 500 ms`),
  });
  await client.close({ timeoutMs: 1 });
});
