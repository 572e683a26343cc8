/** A call that asks waits at its instance between two rounds. It runs once, and not for ever. */
import { afterEach, expect, it } from 'vitest';
import { createFakeClock } from '../../src/lib/time/fake-clock.ts';
import { withClock } from '../../src/lib/time/internal-deadlines.ts';
import { fromOfficial } from '../../src/node/entries/official.ts';
import { type Client, connect } from '../../src/node/index.ts';
import type { OfficialOptions } from '../../src/official/index.ts';
import { exchangeVersion } from '../kit/version-order.ts';
import { withTimeout } from '../kit/with-timeout.ts';
import { createV1, createV2, type Ledger, newLedger } from './servers.ts';

const clients: Client[] = [];
afterEach(async () => {
  for (const client of clients.splice(0)) await client.close();
});

const secrets = ['a secret of more than 16 characters'];
const handlers = { elicitForm: () => ({ action: 'cancel' as const }) };
const call = { name: 'ask', arguments: { question: 'Really?' } };

async function open(
  ledger: Ledger,
  options: OfficialOptions = {},
  create: typeof createV1 = createV1,
): Promise<Client> {
  const server = await fromOfficial(() => create(ledger), { secrets, ...options });
  const client = await connect(server as never, { protocolVersions: [exchangeVersion], handlers });
  clients.push(client);
  return client;
}

interface Round {
  readonly inputRequests: Readonly<Record<string, unknown>>;
  readonly state?: string;
}

/** The answers to all requests of a round. */
const answers = ({ inputRequests, state }: Round, answer: string) => ({
  round: {
    ...(state !== undefined && { state }),
    answers: Object.fromEntries(
      Object.keys(inputRequests).map((key) => [key, { action: 'accept', content: { answer } }]),
    ),
  },
});

it('goes on with the answers of its next round; a repeat of the round gets the same result', async () => {
  const ledger = newLedger();
  const client = await open(ledger);
  const first = (await client.round('tools/call', call)) as never as Round;
  const results = [];
  for (let repeat = 0; repeat < 2; repeat++)
    results.push(await client.round('tools/call', call, answers(first, 'yes')));
  for (const result of results)
    expect(result).toMatchObject({ result: { content: [{ text: 'Really?: accept yes' }] } });
  expect(ledger.begun).toEqual(['Really?']);
});

it('goes on if a call with an idempotency key is sent again from its beginning, as after a lost response', async () => {
  const ledger = newLedger();
  const client = await open(ledger);
  const keyed = { ...call, _meta: { 'dev.tenon/idempotency-key': 'one' } };
  await client.round('tools/call', keyed);
  const repeat = (await client.round('tools/call', keyed)) as never as Round;
  expect(Object.keys(repeat.inputRequests)).toEqual(['bridge-1']);
  const last = await client.round('tools/call', keyed, answers(repeat, 'yes'));
  expect(last).toMatchObject({ result: { content: [{ text: 'Really?: accept yes' }] } });
  expect(ledger.begun).toEqual(['Really?']);
  await client.round('tools/call', { ...keyed, arguments: { question: 'Other?' } }).catch(() => {});
  await client.round('tools/call', call);
  expect(ledger.begun.filter((text) => text === 'Really?')).toHaveLength(2);
});

it('goes on at its second question, too', async () => {
  const ledger = newLedger();
  const client = await open(ledger);
  const keyed = { name: 'ask-twice', arguments: call.arguments, _meta: { 'dev.tenon/idempotency-key': 'two' } };
  const first = (await client.round('tools/call', keyed)) as never as Round;
  await client.round('tools/call', keyed, answers(first, 'one'));
  const repeat = (await client.round('tools/call', keyed)) as never as Round;
  expect(Object.keys(repeat.inputRequests)).toEqual(['bridge-2']);
  const last = await client.round('tools/call', keyed, answers(repeat, 'two'));
  expect(last).toMatchObject({ result: { content: [{ text: 'one, two' }] } });
  expect(ledger.begun).toEqual(['Really?']);
});

it('is refused at another process with the mark of an unknown outcome, and does not run there', async () => {
  const [here, there] = [newLedger(), newLedger()];
  const first = (await (await open(here)).round('tools/call', call)) as never as Round;
  const other = await open(there);
  await expect(other.round('tools/call', call, answers(first, 'yes'))).rejects.toMatchObject({
    code: 'outcome-unknown',
  });
  expect(there.begun).toEqual([]);
});

it('is cancelled at its instance when its state has expired', async () => {
  const ledger = newLedger();
  const clock = createFakeClock();
  const create = (own: Ledger) => {
    const server = createV1(own);
    server.registerTool('patient', {}, async ({ signal }) => {
      signal.addEventListener('abort', () => own.aborted.resolve());
      await server.server.elicitInput({ message: 'Wait?', requestedSchema: { type: 'object', properties: {} } });
      return { content: [] };
    });
    return server;
  };
  const client = await open(ledger, { requestState: { ttlMs: 60_000 }, ...withClock(clock) }, create);
  await client.round('tools/call', { name: 'patient', arguments: {} });
  clock.advance(60_000);
  expect(await withTimeout(ledger.aborted.promise, 'the abort of the handler')).toBeUndefined();
});

it('begins only once, also after a request of middleware', async () => {
  const ledger = newLedger();
  const client = await open(ledger, {
    middleware: [
      async (own, next) => {
        if (own.method !== 'tools/call') return next();
        await own.ctx.elicit('sure', {
          message: 'Sure?',
          requestedSchema: { type: 'object', properties: {} },
        } as never);
        return next();
      },
    ],
  });
  const first = (await client.round('tools/call', call)) as never as Round;
  const sure = { round: { ...answers(first, '').round, answers: { sure: { action: 'accept', content: {} } } } };
  const second = (await client.round('tools/call', call, sure)) as never as Round;
  expect(Object.keys(second.inputRequests)).toEqual(['bridge-1']);
  const last = await client.round('tools/call', call, answers(second, 'yes'));
  expect(last).toMatchObject({ result: { content: [{ text: 'Really?: accept yes' }] } });
  expect(ledger.begun).toEqual(['Really?']);
});

it('a task around a bridged tool runs its handler', async () => {
  const ledger = newLedger();
  const server = await fromOfficial(() => createV2(ledger));
  server.update((draft) => {
    const { add } = draft.tools;
    if (add !== undefined) draft.tools.add = { ...add, options: { ...add.options, task: 'required' } };
  });
  const client = await connect(server as never, { protocolVersions: ['2025-11-25'] });
  clients.push(client);
  expect(await client.tools.call('add', { a: 1, b: 2 })).toMatchObject({ structuredContent: { sum: 3 } });
});

it('a task around a bridged tool has one attempt: the next one ends it with an unknown outcome', async () => {
  let runs = 0;
  const create = () => {
    const server = createV1(newLedger());
    server.registerTool('crash', {}, async () => {
      runs++;
      await server.close();
      return { content: [] };
    });
    return server;
  };
  const errors: unknown[] = [];
  const server = await fromOfficial(create, { onError: (error) => errors.push(error) });
  server.update((draft) => {
    const { crash } = draft.tools;
    const task = { support: 'required', retry: { attempts: 3, backoffMs: 0 } } as const;
    if (crash !== undefined) draft.tools.crash = { ...crash, options: { ...crash.options, task } };
  });
  const client = await connect(server as never, { protocolVersions: ['2025-11-25'] });
  clients.push(client);
  await expect(client.tools.call('crash')).rejects.toMatchObject({ code: 'outcome-unknown' });
  expect(errors).toMatchObject([{ code: 'instance-failed' }]);
  expect(runs).toBe(1);
});
