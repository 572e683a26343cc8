/** `startTaskWorker()`: its options, and the store that it opens and closes. */
import { createServer, startTaskWorker, type TaskWorkerOptions, tool } from 'tenon';
import { createMemoryStore, type Store } from 'tenon/store';
import { describe, expect, it } from 'vitest';
import { newTasks } from './worker-processes.ts';

const secrets = ['a secret that all of them know'];
const report = tool({ task: 'required' }, () => 'done');
const newServer = (tools = { report }) => createServer({ name: 'jobs', version: '1.0.0', tools }, { secrets });

/** A store of another name, which outlives the process by that. */
const named = (durability: Store['durability']): Store =>
  ({ ...createMemoryStore(), name: 'redis', ...(durability && { durability }) }) as Store;

describe('startTaskWorker()', () => {
  it('opens a store by its URL, and closes it', async () => {
    const { url } = await newTasks();
    const worker = await startTaskWorker(newServer(), { store: url });
    expect(worker.store).toMatchObject({ name: 'sqlite', durability: 'disk' });
    await Promise.all([worker.close(), worker.close()]);
    expect(() => worker.store.tasks?.readJournal('none', 0)).toThrow(/closed|not open/);
  });

  it('leaves a store open that it was passed', async () => {
    const store = createMemoryStore();
    const worker = await startTaskWorker(newServer(), { store });
    await worker.close();
    expect(await store.tasks.readJournal('none', 0)).toEqual([]);
  });

  it.each([
    ['without a store', {} as TaskWorkerOptions, 'store'],
    ['with a store in the memory of this process', { store: 'memory:' }, 'store'],
    ['with a URL of no store', { store: 'mysql://localhost' }, 'store'],
    ['with an unknown option', { store: 'memory:', stores: 1 } as TaskWorkerOptions, 'stores'],
    ['with a store that has no tasks', { store: { ...createMemoryStore(), tasks: undefined } as never }, 'store'],
  ])('is refused %s', async (_name, options, place) => {
    await expect(startTaskWorker(newServer(), options)).rejects.toMatchObject({
      code: 'invalid-argument',
      details: { place },
    });
  });

  it('is refused for a server without tools that run as tasks', async () => {
    const plain = newServer({ report: tool({}, () => 'plain') as never });
    await expect(startTaskWorker(plain, { store: createMemoryStore() })).rejects.toMatchObject({
      code: 'invalid-argument',
      message: expect.stringContaining('runs as a task'),
    });
  });
});

describe('a server whose tools run as tasks', () => {
  it('refuses a store that other processes share and that loses them with its process', async () => {
    await expect(startTaskWorker(newServer(), { store: named('memory') })).rejects.toMatchObject({
      code: 'store-not-durable',
      hint: expect.stringContaining('appendonly yes'),
      message: expect.stringContaining("tasks.durability: 'memory'"),
    });
  });

  it.each(['process', 'disk', 'unknown'] as const)("takes one with the durability '%s'", async (durability) => {
    const warnings: unknown[] = [];
    const worker = await startTaskWorker(newServer(), {
      store: named(durability),
      onWarning: (one) => void warnings.push(one),
    });
    await worker.close();
    expect(warnings).toMatchObject(durability === 'unknown' ? [{ code: 'store-not-durable' }] : []);
  });

  it.each([
    ['disk', 'process'],
    ['disk', 'unknown'],
    ['process', 'memory'],
  ] as const)("refuses less than tasks.durability: '%s'; '%s' is", async (needed, durability) => {
    const options = { secrets, tasks: { durability: needed } };
    const server = createServer({ name: 'jobs', version: '1.0.0', tools: { report } }, options);
    await expect(startTaskWorker(server, { store: named(durability) })).rejects.toMatchObject({
      code: 'store-not-durable',
    });
  });

  it("takes any store with tasks.durability: 'memory'", async () => {
    const options = { secrets, tasks: { durability: 'memory' as const } };
    const server = createServer({ name: 'jobs', version: '1.0.0', tools: { report } }, options);
    const worker = await startTaskWorker(server, { store: named('memory') });
    expect(worker.store.durability).toBe('memory');
    await worker.close();
  });
});
