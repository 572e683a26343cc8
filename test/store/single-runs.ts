/** Nodes of a server that share a store run each call once. The test of a driver passes its store to `testSingleRuns`. */
import { type ChildProcess, spawn } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface, type Interface } from 'node:readline';
import { connect, createServer, serveHttp, tool, toText } from 'tenon';
import type { Store } from 'tenon/store';
import { beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { z } from 'zod';
import { deferred } from '../kit/deferred.ts';
import { loneCall } from '../kit/http/messages.ts';
import { type Json, send } from '../kit/http/raw-http.ts';
import { bundledProgram } from '../kit/process/bundled-program.ts';
import type { StoreAddress } from '../kit/stores/open-at.ts';
import { withTimeout } from '../kit/with-timeout.ts';
import type { PayingNodeOptions } from './fixtures/paying-node.ts';

type OpenStore = Store & { close?(): Promise<void> };

export interface SharedStore {
  /** Another connection to the same data; `now` is its clock. */
  open(now?: () => number): OpenStore | Promise<OpenStore>;
  /** Where another process opens it, where one can. */
  readonly address?: StoreAddress;
}

const secrets = ['a secret that all of them know'];
const able = { 'io.modelcontextprotocol/clientCapabilities': { elicitation: {} } };
const yes = { inputResponses: { sure: { action: 'accept', content: { ok: true } } } };
const no = { inputResponses: { sure: { action: 'accept', content: { ok: false } } } };

/** `inProcesses`: other processes can open the store, too. */
export function testSingleRuns(name: string, inProcesses: boolean, start: () => SharedStore): void {
  /** A node in this process; `paid` counts what ran there. */
  async function nodeOf(shared: SharedStore, gate?: Promise<void>, now?: () => number) {
    const store = await shared.open(now);
    const begun = deferred();
    let paid = 0;
    const pay = tool({}, async () => {
      paid++;
      begun.resolve();
      await gate;
      return `payment ${paid}`;
    });
    const approve = tool({}, async (_given, ctx) => {
      const schema = z.object({ ok: z.boolean() });
      const answer = await ctx.elicit('sure', { message: 'Pay?', schema });
      paid++;
      begun.resolve();
      await gate;
      return `paid ${answer.action === 'accept' && answer.content.ok}`;
    });
    const server = createServer({ name: 'bank', version: '1', tools: { pay, approve } }, { secrets });
    const service = await serveHttp(server, { port: 0, store, timeouts: { storeMs: 60_000 } });
    onTestFinished(async () => {
      await service.close();
      await store.close?.();
    });
    const client = await connect(service.url, { protocolVersions: ['2026-07-28'] });
    onTestFinished(() => client.close());
    return {
      begun: begun.promise,
      paid: () => paid,
      pay: async (idempotencyKey: string) => toText(await client.tools.call('pay', {}, { idempotencyKey })),
      /** One round of a call that needs an approval. */
      async round(params: Json): Promise<Json> {
        const { headers, body } = loneCall('approve', {}, able);
        return (await send(service.url, { headers, body: { ...body, params: { ...body.params, ...params } } })).json;
      },
    };
  }

  const stateOf = (answer: Json): Json => ({ requestState: (answer.result as Json).requestState });
  const textOf = (answer: Json): unknown => ((answer.result as Json).content as Json[])[0]?.text;

  describe(`nodes that share a store ${name}`, () => {
    it('run a call with an idempotency key once: a repeat at another node waits, then gets its result [S20]', async () => {
      const shared = start();
      const gate = deferred();
      const [a, b] = [await nodeOf(shared, gate.promise), await nodeOf(shared)];
      const first = a.pay('k');
      await a.begun;
      const second = b.pay('k');
      gate.resolve();
      expect([await first, await second, await b.pay('k')]).toEqual(['payment 1', 'payment 1', 'payment 1']);
      expect([a.paid(), b.paid()]).toEqual([1, 0]);
      expect(await b.pay('another')).toBe('payment 1');
    });

    it('run one of many calls with the same key that arrive at the same moment [S20]', async () => {
      const shared = start();
      const nodes = await Promise.all([nodeOf(shared), nodeOf(shared), nodeOf(shared)]);
      const results = await Promise.all(nodes.flatMap((node) => [node.pay('k'), node.pay('k'), node.pay('k')]));
      expect(new Set(results)).toEqual(new Set(['payment 1']));
      expect(nodes.reduce((sum, node) => sum + node.paid(), 0)).toBe(1);
    });

    it('run one approval once: a repeat gets its result, and other answers are refused, at any node [S20]', async () => {
      const shared = start();
      const [a, b] = [await nodeOf(shared), await nodeOf(shared)];
      const state = stateOf(await a.round({}));
      const approved = await b.round({ ...state, ...yes });
      expect(textOf(approved)).toBe('paid true');
      expect([textOf(await a.round({ ...state, ...yes })), textOf(await b.round({ ...state, ...yes }))]).toEqual([
        'paid true',
        'paid true',
      ]);
      const used = { error: { code: -32602, data: { requestState: 'used' } } };
      expect(await a.round({ ...state, ...no })).toMatchObject(used);
      expect(await b.round({ ...state, ...no })).toMatchObject(used);
      expect([a.paid(), b.paid()]).toEqual([0, 1]);
    });

    it('run one of two approvals that arrive at the same moment [S20]', async () => {
      const shared = start();
      const gate = deferred();
      const [a, b] = [await nodeOf(shared, gate.promise), await nodeOf(shared)];
      const state = stateOf(await b.round({}));
      const first = a.round({ ...state, ...yes });
      await a.begun;
      const [second, other] = [b.round({ ...state, ...yes }), await b.round({ ...state, ...no })];
      expect(other).toMatchObject({ error: { data: { requestState: 'used' } } });
      gate.resolve();
      expect([textOf(await first), textOf(await second)]).toEqual(['paid true', 'paid true']);
      expect([a.paid(), b.paid()]).toEqual([1, 0]);
    });

    if (inProcesses) inOtherProcesses(start, nodeOf);
  });
}

/** Tests with a node that can be killed. */
function inOtherProcesses(
  start: () => SharedStore,
  nodeOf: (
    shared: SharedStore,
    gate?: Promise<void>,
    now?: () => number,
  ) => Promise<{ pay(key: string): Promise<string>; paid(): number }>,
): void {
  let program = '';
  beforeAll(async () => {
    program = await bundledProgram('paying-node', 'store');
  });

  async function processOf({ address }: SharedStore) {
    if (address === undefined) throw new Error('No other process can open the store.');
    const folder = mkdtempSync(join(tmpdir(), 'tenon-payments-'));
    const payments = join(folder, 'payments');
    const options: PayingNodeOptions = { address, payments, secrets };
    const child: ChildProcess = spawn(process.execPath, [program, JSON.stringify(options)], {
      stdio: ['pipe', 'pipe', 'inherit'],
    });
    onTestFinished(() => {
      child.kill('SIGKILL');
      rmSync(folder, { recursive: true });
    });
    const lines = createInterface(child.stdout as NodeJS.ReadableStream);
    const url = await nextLine(lines);
    const client = await connect(url, { protocolVersions: ['2026-07-28'], reconnect: false });
    onTestFinished(() => client.close());
    return {
      pay: async (key: string) => toText(await client.tools.call('pay', {}, { idempotencyKey: key })),
      begun: () => nextLine(lines),
      finish: () => void child.stdin?.write('\n'),
      async kill() {
        const exited = new Promise<void>((resolve) => child.once('exit', () => resolve()));
        child.kill('SIGKILL');
        await exited;
      },
      payments: () => (existsSync(payments) ? readFileSync(payments, 'utf8').length / 'paid\n'.length : 0),
    };
  }

  it('in other processes run a call once, and each gets its result [S20]', async () => {
    const shared = start();
    const [one, another] = [await processOf(shared), await processOf(shared)];
    const first = one.pay('k');
    await one.begun();
    const second = another.pay('k');
    one.finish();
    expect([await first, await second]).toEqual(['paid by a process', 'paid by a process']);
    expect([one.payments(), another.payments()]).toEqual([1, 0]);
  });

  it('and lose one by SIGKILL during a call do not run it again: its outcome is unknown [S31]', async () => {
    const shared = start();
    let ahead = 0;
    const survivor = await nodeOf(shared, undefined, () => Date.now() + ahead);
    const dying = await processOf(shared);
    const lost = dying.pay('k').catch(({ code }: { code: string }) => code);
    await dying.begun();
    await dying.kill();
    await lost;
    const waiting = survivor.pay('k');
    ahead = 60_000;
    const unknown = { code: 'outcome-unknown', hint: expect.stringContaining('another idempotencyKey') };
    await expect(waiting).rejects.toMatchObject(unknown);
    await expect(survivor.pay('k')).rejects.toMatchObject(unknown);
    expect([dying.payments(), survivor.paid()]).toEqual([1, 0]);
    expect(await survivor.pay('another key')).toBe('payment 1');
  });
}

const nextLine = (lines: Interface): Promise<string> =>
  withTimeout(new Promise((resolve) => lines.once('line', resolve)), 'a line of another process');
