/** The contract of every store of tasks. The test of a driver passes its store to `testTasks`. */
import {
  type JournalRoom,
  type MessageBus,
  type NewTask,
  type StoredTask,
  type TakenTask,
  type TaskChange,
  type TaskRoom,
  type TaskStore,
} from 'tenon/store';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { shardOf } from '../../src/store/parts/runs.ts';
import { deferred } from '../kit/deferred.ts';

export interface TasksUnderTest {
  readonly tasks: TaskStore;
  /** Gets the messages that are published with tasks. */
  readonly bus: MessageBus;
  /** Moves the clock of the store. */
  advance(ms: number): void;
  close?(): void | Promise<void>;
}

/** Short IDs for reading: those of a task's owner begin with their shard. */
const idOf = (name: string, owner = 'ann'): string => `${shardOf(owner)}-${name}`;

const newTask = (name: string, more: Partial<NewTask> = {}): NewTask => ({
  id: idOf(name, more.owner),
  owner: 'ann',
  kind: 'shop/report@1',
  data: `data of ${name}`,
  entries: [`call of ${name}`],
  endsInMs: 60_000,
  ...more,
});

/** Room for so many tasks that are not over, and for any others. */
const live = (maxLive: number, more: Partial<TaskRoom> = {}): TaskRoom => ({
  maxLive,
  maxStored: 1000,
  maxInShard: 1000,
  ...more,
});

/** Room for the journals of tasks that are over. */
const journals = (more: Partial<JournalRoom>): { readonly isOver: true; readonly room: JournalRoom } => ({
  isOver: true,
  room: { maxJournals: 1000, maxChars: 1e6, ...more },
});

const change = (data: string, more: Partial<TaskChange> = {}): TaskChange => ({
  data,
  claimInMs: undefined,
  isOver: false,
  entries: [],
  ...more,
});

export function testTasks(name: string, start: () => TasksUnderTest | Promise<TasksUnderTest>): void {
  let test: TasksUnderTest;
  let tasks: TaskStore;
  beforeEach(async () => {
    test = await start();
    tasks = test.tasks;
  });
  afterEach(async () => {
    await test.close?.();
  });

  async function create(id: string, more: Partial<NewTask> = {}): Promise<StoredTask> {
    const made = await tasks.create(newTask(id, more), live(100));
    if (typeof made === 'string') throw new Error(`Task ${id} was not created: ${made}`);
    return made.task;
  }
  async function read(name: string): Promise<StoredTask> {
    const task = await tasks.read(idOf(name));
    if (task === undefined) throw new Error(`There is no task ${name}`);
    return task;
  }
  const journal = async (name: string, from = 0): Promise<readonly string[]> => tasks.readJournal(idOf(name), from);
  const namesOf = (found: readonly StoredTask[]): string[] => found.map(({ id }) => id.slice(2));
  const kinds = ['shop/report@1'];
  const leaseMs = 1000;
  let holders = 0;
  beforeEach(() => {
    holders = 0;
  });

  /** Takes tasks as a worker does: each call has a holder of its own, `holder 1` first. */
  const take = async (max = 10, of: readonly string[] = kinds): Promise<readonly TakenTask[]> =>
    tasks.take(of, max, `holder ${++holders}`, leaseMs);
  const takeEnding = async (max = 10): Promise<readonly TakenTask[]> =>
    tasks.takeEnding(max, `holder ${++holders}`, leaseMs);
  const takenNames = (found: readonly TakenTask[]): string[] => namesOf(found.map(({ task }) => task));

  describe(`tasks, ${name}`, () => {
    it('are read as they were written, with times of one clock', async () => {
      const made = await create('t1', { data: '{"ä":"🌍"}' });
      expect(made).toMatchObject({
        id: idOf('t1'),
        owner: 'ann',
        kind: 'shop/report@1',
        data: '{"ä":"🌍"}',
        isOver: false,
      });
      expect(made.updatedAt).toBe(made.createdAt);
      expect(made.endsAt).toBe(made.createdAt + 60_000);
      test.advance(500);
      const read = await tasks.read(idOf('t1'));
      expect(read).toMatchObject({
        id: idOf('t1'),
        data: '{"ä":"🌍"}',
        version: made.version,
        createdAt: made.createdAt,
      });
      expect(read?.now).toBeGreaterThanOrEqual(made.now + 500);
      expect(await tasks.read(idOf('t2'))).toBeUndefined();
    });

    it('are written only by who has read the newest version', async () => {
      const made = await create('t1');
      test.advance(10);
      expect(await tasks.write(made, change('second'))).toBe(true);
      expect(await tasks.write(made, change('lost', { entries: ['lost'] }))).toBe(false);
      const now = await read('t1');
      expect(now.data).toBe('second');
      expect(now.version).not.toBe(made.version);
      expect(now.updatedAt).toBeGreaterThanOrEqual(made.updatedAt + 10);
      expect(now.endsAt).toBe(made.endsAt);
      expect(await journal('t1', 0)).toEqual(['call of t1']);
      expect(await tasks.write({ ...made, id: idOf('gone') }, change('x'))).toBe(false);
    });

    it('have the version that their last change has given them', async () => {
      const made = await create('t1');
      const version = 'worker ä 🌍';
      expect(await tasks.write(made, change('second', { version, entries: ['2'] }))).toBe(true);
      expect((await read('t1')).version).toBe(version);
      expect(await tasks.write({ ...made, version: `${made.version}1` }, change('lost'))).toBe(false);
      expect(await tasks.write({ ...made, version: '' }, change('lost'))).toBe(false);
      expect(await tasks.write({ ...made, version }, change('third', { version: '7' }))).toBe(true);
      // A writer that got no answer, and writes again, finds its own version.
      expect(await tasks.write({ ...made, version }, change('third', { version: '7', entries: ['twice'] }))).toBe(
        false,
      );
      expect((await read('t1')).version).toBe('7');
      expect(await journal('t1')).toEqual(['call of t1', '2']);
    });

    it('are taken from the queue that their last change has named, and from no other', async () => {
      const made = await create('t1', { owner: 'ann' });
      await create('t2');
      expect(made.queue).toBe('shop/report@1');
      expect(await tasks.write(made, change('apart', { claimInMs: 0, queue: '!shop/report@1' }))).toBe(true);
      expect((await read('t1')).queue).toBe('!shop/report@1');
      expect(takenNames(await take())).toEqual(['t2']);
      const [apart] = await take(1, ['!shop/report@1']);
      expect(apart?.task).toMatchObject({ id: idOf('t1'), data: 'apart', taken: { count: 1 } });
      // It is due there again after the lease, until it is written back to its kind.
      test.advance(leaseMs);
      const [again] = await take(1, ['!shop/report@1']);
      expect(again?.task).toMatchObject({ id: idOf('t1'), taken: { count: 2 } });
      if (again === undefined) return;
      expect(await tasks.write(again.task, change('back', { claimInMs: 0 }))).toBe(true);
      expect(await read('t1')).toMatchObject({ queue: 'shop/report@1', data: 'back' });
      test.advance(leaseMs);
      expect(takenNames(await take(1, ['!shop/report@1']))).toEqual([]);
      expect(takenNames(await take()).toSorted()).toEqual(['t1', 't2']);
    });

    it('have another version after every write that gives them none', async () => {
      const versions = new Set([(await create('t1')).version]);
      for (let n = 0; n < 20; n++) {
        expect(await tasks.write(await read('t1'), change(`write ${n}`))).toBe(true);
        versions.add((await read('t1')).version);
      }
      expect(versions.size).toBe(21);
    });

    it('let one of several writers with the same version win', async () => {
      const made = await create('t1');
      const writes = Array.from({ length: 8 }, (_, n) =>
        Promise.resolve(tasks.write(made, change(`writer ${n}`, { entries: [`entry ${n}`] }))),
      );
      const won = (await Promise.all(writes)).flatMap((wrote, n) => (wrote ? [n] : []));
      expect(won).toHaveLength(1);
      expect((await read('t1')).data).toBe(`writer ${won[0]}`);
      expect(await journal('t1', 1)).toEqual([`entry ${won[0]}`]);
    });

    it('have a journal that grows with their changes, in order', async () => {
      const made = await create('t1');
      expect(await tasks.write(made, change('a', { entries: ['1', '', 'ä 🌍'] }))).toBe(true);
      expect(await tasks.write(await read('t1'), change('b', { entries: ['4'] }))).toBe(true);
      expect(await journal('t1', 0)).toEqual(['call of t1', '1', '', 'ä 🌍', '4']);
      expect(await journal('t1', 4)).toEqual(['4']);
      expect(await journal('t1', 5)).toEqual([]);
      expect(await journal('gone', 0)).toEqual([]);
    });

    it('publish a message with what was written, and none with what was not', async () => {
      const seen: string[] = [];
      const last = deferred();
      const stop = await test.bus.subscribe('topic', (text) => {
        seen.push(text);
        if (text === 'last') last.resolve();
      });
      const hint = (text: string) => ({ hint: { topic: 'topic', text } });
      const made = await create('t1', hint('created ä 🌍'));
      expect(await tasks.write(made, change('second', hint('written')))).toBe(true);
      expect(await tasks.write(made, change('lost', hint('lost')))).toBe(false);
      expect(await tasks.create(newTask('t2', hint('full')), live(1))).toBe('full');
      await tasks.write(await read('t1'), change('third', hint('last')));
      await last.promise;
      expect(seen).toEqual(['created ä 🌍', 'written', 'last']);
      await stop();
    });
  });

  describe(`tasks for workers, ${name}`, () => {
    it('may be taken at once, by workers of their kind, the oldest first', async () => {
      await create('a');
      test.advance(1);
      await create('b', { kind: 'shop/other@1' });
      test.advance(1);
      await create('c');
      test.advance(1);
      await create('d');
      expect(await take(10, [])).toEqual([]);
      expect(await take(10, ['unknown'])).toEqual([]);
      expect(takenNames(await take(1))).toEqual(['a']);
      expect(takenNames(await take(10))).toEqual(['c', 'd']);
      expect(takenNames(await take(10, ['shop/other@1', ...kinds, ...kinds]))).toEqual(['b']);
    });

    it('may be taken later if their creator runs them first', async () => {
      const made = await create('a', { claimInMs: 5000 });
      test.advance(4999);
      expect(await take()).toEqual([]);
      expect(await tasks.write(made, change('renewed', { claimInMs: 5000 }))).toBe(true);
      test.advance(4999);
      expect(await take()).toEqual([]);
      test.advance(1);
      expect(takenNames(await take())).toEqual(['a']);
    });

    it('come with their journals, and the worker holds them', async () => {
      const made = await create('a');
      await tasks.write(made, change('second', { claimInMs: 0, entries: ['', 'ä 🌍'] }));
      test.advance(10);
      const [taken] = await take();
      expect(taken?.entries).toEqual(['call of a', '', 'ä 🌍']);
      expect(taken?.task).toMatchObject({
        id: idOf('a'),
        owner: 'ann',
        kind: 'shop/report@1',
        data: 'second',
        isOver: false,
        version: 'holder 1',
        createdAt: made.createdAt,
        endsAt: made.endsAt,
        taken: { count: 1 },
      });
      const { updatedAt = 0, now = 0, taken: by } = taken?.task ?? {};
      expect(by?.at).toBe(now);
      // It was taken, and not written.
      expect(now).toBeGreaterThanOrEqual(updatedAt + 10);
      expect(await read('a')).toMatchObject({ version: 'holder 1', updatedAt, taken: { count: 1, at: now } });
      expect((await tasks.list('ann', undefined, 10)).tasks).toMatchObject([{ version: 'holder 1', taken: by }]);
      expect(await tasks.write(made, change('late'))).toBe(false);
      expect(await tasks.write(taken?.task ?? made, change('third', { claimInMs: leaseMs, entries: ['4'] }))).toBe(
        true,
      );
      const written = await read('a');
      expect(written).toMatchObject({ data: 'third' });
      expect(written.taken).toBeUndefined();
      expect(await journal('a', 3)).toEqual(['4']);
    });

    it('of several owners take turns, however many each has', async () => {
      for (let n = 0; n < 6; n++) await create(`a${n}`);
      for (let n = 0; n < 2; n++) await create(`b${n}`, { owner: 'bob' });
      for (let n = 0; n < 2; n++) await create(`n${n}`, { owner: '' });
      const [first, second, rest] = [await take(3), await take(3), await take(10)];
      expect(takenNames(first).toSorted()).toEqual(['a0', 'b0', 'n0']);
      expect(takenNames(second).toSorted()).toEqual(['a1', 'b1', 'n1']);
      expect(takenNames(rest)).toEqual(['a2', 'a3', 'a4', 'a5']);
    });

    it('are taken by one of several workers that ask at once', async () => {
      for (let n = 0; n < 12; n++) await create(`t${n}`, { owner: `owner ${n % 5}` });
      const found = (await Promise.all(Array.from({ length: 6 }, () => take(3)))).flat();
      expect(found).toHaveLength(12);
      expect(new Set(found.map(({ task }) => task.id)).size).toBe(12);
      expect(await take()).toEqual([]);
    });

    it('are taken again when the lease has ended, and the times are counted until one writes', async () => {
      await create('a');
      const [first] = await take();
      test.advance(leaseMs - 1);
      expect(await take()).toEqual([]);
      test.advance(1);
      const [second] = await take();
      expect(second?.task).toMatchObject({ data: 'data of a', taken: { count: 2 } });
      expect(second?.task.taken?.at).toBeGreaterThanOrEqual((first?.task.taken?.at ?? 0) + leaseMs);
      expect(await tasks.write(first?.task as StoredTask, change('late', { entries: ['late'] }))).toBe(false);
      expect(await tasks.write(second?.task as StoredTask, change('beaten', { claimInMs: leaseMs }))).toBe(true);
      test.advance(leaseMs);
      expect((await take())[0]).toMatchObject({
        task: { data: 'beaten', taken: { count: 1 } },
        entries: ['call of a'],
      });
    });

    it('may be taken when the time of their last change has come, and not before', async () => {
      const made = await create('a');
      await tasks.write(made, change('leased', { claimInMs: 1000 }));
      expect(await take()).toEqual([]);
      test.advance(999);
      expect(await take()).toEqual([]);
      test.advance(1);
      expect(await take()).toMatchObject([{ task: { id: idOf('a'), data: 'leased' } }]);
      await tasks.write(await read('a'), change('parked'));
      test.advance(50_000);
      expect(await take()).toEqual([]);
      await tasks.write(await read('a'), change('ready', { claimInMs: 0 }));
      expect(takenNames(await take())).toEqual(['a']);
    });

    it('follow a lease that is renewed', async () => {
      await create('a');
      const [taken] = await take();
      test.advance(900);
      await tasks.write(taken?.task as StoredTask, change('one', { claimInMs: 1000 }));
      test.advance(900);
      await tasks.write(await read('a'), change('two', { claimInMs: 1000 }));
      test.advance(900);
      expect(await take()).toEqual([]);
      test.advance(100);
      expect(takenNames(await take())).toEqual(['a']);
    });

    it('are not taken when they are over', async () => {
      const made = await create('a');
      await tasks.write(made, change('done', { isOver: true, claimInMs: 0, endsInMs: 5000 }));
      expect(await take()).toEqual([]);
      expect(await takeEnding()).toEqual([]);
    });
  });

  describe(`the end of tasks, ${name}`, () => {
    it('is reported for tasks that are not over, of any kind, to one process for the time of a lease', async () => {
      await create('a', { endsInMs: 1000 });
      await create('b', { endsInMs: 3000, kind: 'no worker runs it' });
      expect(await takeEnding()).toEqual([]);
      test.advance(1000);
      const [first] = await takeEnding();
      expect(first).toMatchObject({ task: { id: idOf('a'), version: 'holder 2' }, entries: ['call of a'] });
      expect(first?.task.now).toBeGreaterThanOrEqual(first?.task.endsAt ?? Infinity);
      expect(await takeEnding()).toEqual([]);
      // The process that took it was lost.
      test.advance(leaseMs);
      const [again] = await takeEnding();
      expect(again?.task.id).toBe(idOf('a'));
      expect(await tasks.write(first?.task as StoredTask, change('late'))).toBe(false);
      expect(await tasks.write(again?.task as StoredTask, change('longer', { endsInMs: 5000 }))).toBe(true);
      expect((await read('a')).endsAt).toBeGreaterThanOrEqual((await read('a')).updatedAt + 5000);
      test.advance(leaseMs);
      expect(takenNames(await takeEnding())).toEqual(['b']);
      test.advance(4000);
      expect(await takeEnding(1)).toHaveLength(1);
      expect(await takeEnding(1)).toHaveLength(1);
      expect(await takeEnding(1)).toEqual([]);
    });

    it('is no work for a worker: a process that takes it so is not counted, and workers may still take it', async () => {
      await create('a', { endsInMs: 1000 });
      test.advance(1000);
      const [ending] = await takeEnding();
      expect(ending?.task.taken).toBeUndefined();
      expect((await read('a')).taken).toBeUndefined();
      const [taken] = await take();
      expect(taken?.task.taken).toMatchObject({ count: 1 });
      expect(await tasks.write(ending?.task as StoredTask, change('late'))).toBe(false);
      expect(await tasks.write(taken?.task as StoredTask, change('mine', { claimInMs: leaseMs }))).toBe(true);
    });

    it('takes a task from its worker', async () => {
      await create('a', { endsInMs: 1500 });
      test.advance(1000);
      const [taken] = await take();
      test.advance(500);
      const [ending] = await takeEnding();
      expect(await tasks.write(taken?.task as StoredTask, change('late'))).toBe(false);
      const failed = change('failed', { isOver: true, endsInMs: 500, entries: ['error'] });
      expect(await tasks.write(ending?.task as StoredTask, failed)).toBe(true);
      test.advance(499);
      expect([await take(), await takeEnding()]).toEqual([[], []]);
      expect(await journal('a')).toEqual(['call of a', 'error']);
    });

    it('is that of those that are over, with their journals', async () => {
      const made = await create('a', { endsInMs: 1000 });
      await tasks.write(made, change('done', { isOver: true, endsInMs: 500, entries: ['result'] }));
      const done = await read('a');
      expect(done).toMatchObject({ isOver: true, data: 'done' });
      expect(done.endsAt).toBe(done.updatedAt + 500);
      test.advance(499);
      expect(await read('a')).toMatchObject({ isOver: true });
      expect(await journal('a', 1)).toEqual(['result']);
      test.advance(1);
      expect(await tasks.read(idOf('a'))).toBeUndefined();
      expect(await journal('a', 0)).toEqual([]);
      expect(await tasks.list('ann', undefined, 10)).toEqual({ tasks: [], next: undefined });
      expect(await tasks.write(done, change('again'))).toBe(false);
      expect(await takeEnding()).toEqual([]);
      test.advance(1000);
      expect([await take(), await takeEnding()]).toEqual([[], []]);
    });

    it('of some leaves the others as they are', async () => {
      for (const [at, id] of ['a', 'b', 'c'].entries()) {
        const made = await create(id);
        await tasks.write(made, change('done', { isOver: true, endsInMs: 10 * (at + 1) }));
      }
      await create('d');
      test.advance(20);
      expect(namesOf((await tasks.list('ann', undefined, 10)).tasks)).toEqual(['c', 'd']);
      test.advance(10);
      expect(namesOf((await tasks.list('ann', undefined, 10)).tasks)).toEqual(['d']);
    });
  });

  describe(`the tasks of an owner, ${name}`, () => {
    it('are listed in the order of their creation, page by page, without those of others', async () => {
      for (let n = 0; n < 7; n++) {
        await create(`t${n}`);
        await create(`o${n}`, { owner: 'bob' });
      }
      const seen: string[] = [];
      let after: string | undefined;
      do {
        const page = await tasks.list('ann', after, 3);
        expect(page.tasks.length).toBeLessThanOrEqual(3);
        seen.push(...namesOf(page.tasks));
        after = page.next;
      } while (after !== undefined);
      expect(seen).toEqual(['t0', 't1', 't2', 't3', 't4', 't5', 't6']);
      expect(await tasks.list('carl', undefined, 3)).toEqual({ tasks: [], next: undefined });
    });

    it('are limited in number while they are not over', async () => {
      const made = await create('a');
      expect(await tasks.create(newTask('b'), live(1))).toBe('full');
      expect(await tasks.create(newTask('c', { owner: 'bob' }), live(1))).toMatchObject({ isNew: true });
      await tasks.write(made, change('done', { isOver: true, endsInMs: 1000 }));
      expect(await tasks.create(newTask('d'), live(1))).toMatchObject({ isNew: true });
      expect(await tasks.read(idOf('b'))).toBeUndefined();
    });

    it('are limited even if they are created at the same moment', async () => {
      const made = await Promise.all(
        Array.from({ length: 6 }, (_, n) => Promise.resolve(tasks.create(newTask(`t${n}`), live(2)))),
      );
      expect(made.filter((one) => one === 'full')).toHaveLength(4);
    });

    it('are the same task for the same key, and another call with it is refused', async () => {
      const key = { name: 'k', digest: 'd1' };
      const made = await tasks.create(newTask('a', { key }), live(1));
      expect(made).toMatchObject({ isNew: true, task: { id: idOf('a') } });
      // Even where there is no room for another one.
      expect(await tasks.create(newTask('b', { key }), live(1))).toMatchObject({
        isNew: false,
        task: { id: idOf('a') },
      });
      expect(await tasks.create(newTask('c', { key: { name: 'k', digest: 'd2' } }), live(9))).toBe('other-call');
      expect(await tasks.create(newTask('d', { key, owner: 'bob' }), live(1))).toMatchObject({ isNew: true });
      expect(await tasks.read(idOf('b'))).toBeUndefined();
    });

    it('are never those of another owner that uses the same key for the same call, also in one shard', async () => {
      const key = { name: 'k', digest: 'd' };
      const names = Array.from({ length: 200 }, (_, n) => `owner ${n}`);
      const owner = names.find((name) => shardOf(name) === shardOf('ann')) as string;
      expect(await tasks.create(newTask('a', { key }), live(9))).toMatchObject({ isNew: true });
      const made = await tasks.create(newTask('b', { key, owner }), live(9));
      expect(made).toMatchObject({ isNew: true, task: { id: idOf('b', owner), owner } });
    });

    it('are created once of several with the same key', async () => {
      const key = { name: 'k', digest: 'd' };
      const made = await Promise.all(
        Array.from({ length: 6 }, (_, n) => Promise.resolve(tasks.create(newTask(`t${n}`, { key }), live(9)))),
      );
      const ids = new Set(made.map((one) => (typeof one === 'string' ? one : one.task.id)));
      expect(ids.size).toBe(1);
      expect(made.filter((one) => typeof one !== 'string' && one.isNew)).toHaveLength(1);
    });

    it('free their key at their end', async () => {
      const key = { name: 'k', digest: 'd' };
      const made = await create('a', { key });
      await tasks.write(made, change('done', { isOver: true, endsInMs: 10 }));
      test.advance(9);
      expect(await tasks.create(newTask('b', { key }), live(9))).toMatchObject({ isNew: false });
      test.advance(1);
      expect(await tasks.create(newTask('b', { key }), live(9))).toMatchObject({
        isNew: true,
        task: { id: idOf('b') },
      });
    });
  });

  describe(`the share of a caller in the store of tasks, ${name}`, () => {
    /** Finishes a task with a result. */
    async function finish(name: string, result: string, more: Partial<TaskChange>, of: Partial<NewTask> = {}) {
      const made = await create(name, of);
      expect(await tasks.write(made, change('done', { endsInMs: 5000, entries: [result], ...more }))).toBe(true);
    }
    const stored = async (names: readonly string[], owner?: string): Promise<readonly string[]> =>
      (
        await Promise.all(
          names.map(async (one) => ((await tasks.readJournal(idOf(one, owner), 0)).length > 0 ? [one] : [])),
        )
      ).flat();

    it('deletes the results of its oldest finished tasks beyond a number, and no task or key [S24, S36]', async () => {
      const room = journals({ maxJournals: 2 });
      const keyOf = (n: string) => ({ name: `key ${n}`, digest: 'd' });
      const names = ['a', 'b', 'c', 'd'];
      await finish('other', 'result', room, { owner: 'bob' });
      for (const one of names) await finish(one, `result of ${one}`, room, { key: keyOf(one) });
      expect(await stored(names)).toEqual(['c', 'd']);
      expect(await journal('d')).toEqual(['call of d', 'result of d']);
      expect(await stored(['other'], 'bob')).toEqual(['other']);
      expect(namesOf((await tasks.list('ann', undefined, 10)).tasks)).toEqual(names);
      for (const one of names) {
        expect(await read(one)).toMatchObject({ isOver: true, data: 'done', owner: 'ann' });
        const again = await tasks.create(newTask(`${one} again`, { key: keyOf(one) }), live(9));
        expect(again).toMatchObject({ isNew: false, task: { id: idOf(one) } });
      }
      test.advance(5000);
      expect(await tasks.create(newTask('e', { key: keyOf('a') }), live(9))).toMatchObject({ isNew: true });
    });

    it('deletes them beyond a number of characters, and stores the last one whatever its size [S24, S36]', async () => {
      const room = journals({ maxChars: 100 });
      await finish('other', 'x'.repeat(90), room, { owner: 'bob' });
      for (const one of ['a', 'b', 'c']) {
        await finish(one, 'x'.repeat(31), room);
        test.advance(1);
      }
      expect(await stored(['a', 'b', 'c'])).toEqual(['b', 'c']);
      await finish('d', 'x'.repeat(500), room);
      expect(await stored(['a', 'b', 'c', 'd'])).toEqual(['d']);
      expect(await stored(['other'], 'bob')).toEqual(['other']);
      expect(namesOf((await tasks.list('ann', undefined, 10)).tasks)).toEqual(['a', 'b', 'c', 'd']);
    });

    it('deletes no journal of a task that is not over, nor takes its entries away [S24, S36]', async () => {
      const made = await create('live');
      await tasks.write(made, change('on', { claimInMs: 0, entries: ['x'.repeat(500)] }));
      for (const one of ['a', 'b']) await finish(one, 'result', journals({ maxJournals: 1, maxChars: 1 }));
      expect(await journal('live')).toEqual(['call of live', 'x'.repeat(500)]);
      expect((await take())[0]?.entries).toEqual(['call of live', 'x'.repeat(500)]);
    });

    it('has a number of tasks, finished ones included, beyond which new ones are refused [S24, S36]', async () => {
      const room = live(9, { maxStored: 2 });
      const key = { name: 'k', digest: 'd' };
      await finish('a', 'result', journals({}), { key });
      await create('b');
      expect(await tasks.create(newTask('c'), room)).toBe('too-many');
      expect(await tasks.create(newTask('c', { key }), room)).toMatchObject({ isNew: false, task: { id: idOf('a') } });
      expect(await tasks.create(newTask('o', { owner: 'bob' }), room)).toMatchObject({ isNew: true });
      test.advance(5000);
      expect(await tasks.create(newTask('c'), room)).toMatchObject({ isNew: true });
    });

    it('of a shard is refused beyond its number; tasks without an owner are counted apart [S24, S36]', async () => {
      const names = Array.from({ length: 400 }, (_, n) => `owner ${n}`);
      const [one, two, three] = names.filter((name) => shardOf(name) === shardOf('')) as [string, string, string];
      const room = live(9, { maxInShard: 2 });
      for (const owner of [one, two]) await create(`of ${owner}`, { owner });
      expect(await tasks.create(newTask('c', { owner: three }), room)).toBe('too-many');
      for (const share of ['x', 'y'])
        expect(await tasks.create(newTask(share, { owner: '', share }), room)).toMatchObject({ isNew: true });
      expect(await tasks.create(newTask('z', { owner: '', share: 'z' }), room)).toBe('too-many');
    });

    it('of a shard is refused with its characters, and no result is lost; those without an owner are apart [S24, S36]', async () => {
      const names = Array.from({ length: 400 }, (_, n) => `owner ${n}`);
      const owner = names.find((name) => shardOf(name) === shardOf('')) as string;
      const room = live(9, { maxCharsInShard: 100 });
      const make = async (name: string, of: Partial<NewTask>) => tasks.create(newTask(name, of), room);
      await finish('owned', 'x'.repeat(40), journals({}), { owner });
      for (const share of ['x', 'y', 'z']) await finish(share, 'x'.repeat(40), journals({}), { owner: '', share });
      expect(await make('more', { owner: '', share: 'more' })).toBe('too-many');
      expect(await make('owned more', { owner })).toMatchObject({ isNew: true });
      expect(await stored(['x', 'y', 'z'], '')).toEqual(['x', 'y', 'z']);
      test.advance(5000);
      expect(await make('more', { owner: '', share: 'more' })).toMatchObject({ isNew: true });
    });

    it('of a shard has the journals of tasks that are not over, which are refused for their own caller first [S24, S36]', async () => {
      const names = Array.from({ length: 400 }, (_, n) => `owner ${n}`);
      const [one, two, three] = names.filter((name) => shardOf(name) === shardOf('ann')) as [string, string, string];
      const room = live(9, { maxLiveChars: 10_000, maxCharsInShard: 25_000 });
      const make = async (name: string, owner: string) => tasks.create(newTask(name, { owner }), room);
      const large = async (name: string, owner: string): Promise<StoredTask> => {
        const made = await make(name, owner);
        if (typeof made === 'string') throw new Error(made);
        // Of two writes, the second knows what the first has added.
        await tasks.write(made.task, change('on', { version: 'v1', claimInMs: 0, entries: ['x'.repeat(6000)] }));
        const found = (await tasks.read(idOf(name, owner))) as StoredTask;
        await tasks.write(found, change('on', { version: 'v2', claimInMs: 0, entries: ['x'.repeat(6000)] }));
        return (await tasks.read(idOf(name, owner))) as StoredTask;
      };
      const first = await large('a', one);
      expect(await make('b', one)).toBe('full');
      await large('c', two);
      expect(await make('d', two)).toBe('full');
      expect(await make('e', three)).toMatchObject({ isNew: true });
      await finish('f', 'x'.repeat(6000), journals({}), { owner: three });
      expect(await make('g', three)).toBe('too-many');
      // Once it is over, its journal counts as a result, until it is deleted for a later one of its caller.
      await tasks.write(first, change('done', { ...journals({ maxChars: 1 }), endsInMs: 5000 }));
      expect(await make('h', three)).toBe('too-many');
      await finish('i', 'result', journals({ maxChars: 1 }), { owner: one });
      expect(await make('j', three)).toMatchObject({ isNew: true });
    });

    it('is counted for tasks without an owner, which any caller finds by their key and ID [S24, S36]', async () => {
      const key = { name: 'k', digest: 'd' };
      const of = (share: string): Partial<NewTask> => ({ owner: '', share });
      expect(await tasks.create(newTask('a', { ...of('x'), key }), live(1))).toMatchObject({ isNew: true });
      expect(await tasks.create(newTask('b', of('x')), live(1))).toBe('full');
      expect(await tasks.create(newTask('c', of('y')), live(1))).toMatchObject({ isNew: true });
      expect(await tasks.create(newTask('d', { ...of('z'), key }), live(1))).toMatchObject({ isNew: false });
      expect(await tasks.read(idOf('a', ''))).toMatchObject({ owner: '' });
      expect(namesOf((await tasks.list('', undefined, 10)).tasks)).toEqual(['a', 'c']);
    });

    it('gives one caller a turn after the other, with or without an owner, however many tasks each has [S24, S36]', async () => {
      for (let n = 0; n < 9; n++) await create(`a${n}`);
      for (let n = 0; n < 9; n++) await create(`x${n}`, { owner: '', share: 'x' });
      await create('b0', { owner: 'bob' });
      await create('y0', { owner: '', share: 'y' });
      expect(takenNames(await take(4)).toSorted()).toEqual(['a0', 'b0', 'x0', 'y0']);
      // How many each gets of the others differs where a store is on several machines.
      expect(takenNames(await take(4))).toEqual(expect.arrayContaining(['a1', 'x1']));
    });

    it('is not read as a task, whatever ID is asked for [S24, S36]', async () => {
      await finish('a', 'result', journals({}));
      expect(await tasks.read(`${idOf('a')} journal`)).toBeUndefined();
    });
  });
}
