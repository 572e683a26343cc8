/** How many tasks an owner may have and a process runs, and how long they are stored. */
import { createServer, tool } from 'tenon';
import { afterEach, describe, expect, it } from 'vitest';
import { infoOf } from '../../../../src/server/lifecycle/tasks/task-fields.ts';
import { handshake, type Json } from '../../../kit/transport/raw-connection.ts';
import { codeOf, openClient, resultOf } from '../task-server.ts';
import { closeEngines, cluster, create, reached, viewOf } from './cluster.ts';

afterEach(closeEngines);

const minute = 60_000;

describe('tasks.maxPerPrincipal', () => {
  it('refuses a further unfinished task of an owner as overloaded, and those of others have room', async () => {
    const held = tool(
      { task: 'required' },
      (_given, { signal }) =>
        new Promise<string>((resolve) => {
          signal.addEventListener('abort', () => resolve('aborted'));
        }),
    );
    const server = createServer(
      { name: 'shop', version: '1.0.0', tools: { held } },
      { tasks: { maxPerPrincipal: 2 }, onError: () => undefined },
    );
    async function open(principal: string) {
      const client = openClient(server, { principal });
      await client.ask('initialize', handshake('2025-11-25').params as Json);
      client.send({ jsonrpc: '2.0', method: 'notifications/initialized' });
      return client;
    }
    const [ann, bob] = [await open('ann'), await open('bob')];
    const call = { name: 'held', arguments: {}, task: {} };
    const { taskId } = resultOf(await ann.ask('tools/call', call)).task as Json;
    await ann.ask('tools/call', call);
    const refused = await ann.ask('tools/call', call);
    expect(refused.error).toMatchObject({ message: 'Too many of your tasks have not finished yet' });
    expect(codeOf(await bob.ask('tools/call', call))).toBeUndefined();
    await ann.ask('tasks/cancel', { taskId });
    expect(codeOf(await ann.ask('tools/call', call))).toBeUndefined();
  });
});

describe('tasks.maxJournalChars', () => {
  it('fails a task whose result is larger by itself', async () => {
    const { join } = cluster();
    const engine = join(() => 'x'.repeat(2000), { limits: { maxJournalChars: 1000 } });
    const made = await create(engine);
    expect((await reached(engine, made, 'failed')).task.message).toMatch(/^journal-full: /);
  });
});

describe('tasks.maxConcurrent', () => {
  it('runs no more tasks at once in a process; the others wait for their turn', async () => {
    const { join } = cluster();
    let running = 0;
    let most = 0;
    const engine = join(
      async () => {
        most = Math.max(most, ++running);
        await new Promise((resolve) => setImmediate(resolve));
        running--;
        return 'done';
      },
      { limits: { maxConcurrent: 3 } },
    );
    const made = await Promise.all(Array.from({ length: 20 }, () => create(engine)));
    await Promise.all(made.map((one) => reached(engine, one, 'completed')));
    expect(most).toBe(3);
  });
});

describe('the time that a task is stored', () => {
  it('is renewed while it lives, and leaves its result for a while', async () => {
    const { join, pass } = cluster();
    let finish: (text: string) => void = () => {};
    const result = new Promise<string>((resolve) => {
      finish = resolve;
    });
    const engine = join(() => result, { limits: { retentionMs: 2 * minute } });
    const made = await create(engine, { ttlMs: minute });
    await reached(engine, made, 'running');
    await pass(3 * minute);
    expect(infoOf(await viewOf(engine, made)).ttlMs).toBeGreaterThan(3 * minute);
    finish('done');
    await reached(engine, made, 'completed');
    await pass(minute);
    expect(infoOf(await viewOf(engine, made))).toMatchObject({ status: 'completed', ttlMs: 5 * minute });
    await pass(2 * minute);
    expect(await engine.read(made.row.id, 'ann')).toBeUndefined();
  });
});
