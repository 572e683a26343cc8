/** The contract of every store of tasks. The test of a driver passes its store to `testTasks`. */
import { type NewTask, type StoredTask, type TaskChange, type TaskStore } from 'tenon/store';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { taskShardOf } from '../../src/store/tasks/task-id.ts';

export interface TasksUnderTest {
  readonly tasks: TaskStore;
  /** Moves the clock of the store. */
  advance(ms: number): void;
  close?(): void | Promise<void>;
}

/** Short IDs for reading: those of a task's owner begin with their shard. */
const idOf = (name: string, owner = 'ann'): string => `${taskShardOf(owner)}-${name}`;

const newTask = (name: string, more: Partial<NewTask> = {}): NewTask => ({
  id: idOf(name, more.owner),
  owner: 'ann',
  kind: 'shop/report@1',
  data: `data of ${name}`,
  entries: [`call of ${name}`],
  endsInMs: 60_000,
  ...more,
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
    const made = await tasks.create(newTask(id, more), 100);
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
      const version = 2 ** 48 + 1;
      expect(await tasks.write(made, change('second', { version, entries: ['2'] }))).toBe(true);
      expect((await read('t1')).version).toBe(version);
      expect(await tasks.write({ ...made, version: made.version + 1 }, change('lost'))).toBe(false);
      expect(await tasks.write({ ...made, version }, change('third', { version: 7 }))).toBe(true);
      expect(await journal('t1')).toEqual(['call of t1', '2']);
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
  });

  describe(`tasks for workers, ${name}`, () => {
    it('may be taken at once, by workers of their kind, the oldest first', async () => {
      await create('a');
      test.advance(1);
      await create('b', { kind: 'shop/other@1' });
      test.advance(1);
      await create('c');
      expect(namesOf(await tasks.claimable(kinds, 10))).toEqual(['a', 'c']);
      expect(namesOf(await tasks.claimable(kinds, 1))).toEqual(['a']);
      expect(namesOf(await tasks.claimable(['shop/other@1', ...kinds, ...kinds], 10))).toEqual(['a', 'b', 'c']);
      expect(await tasks.claimable([], 10)).toEqual([]);
      expect(await tasks.claimable(['unknown'], 10)).toEqual([]);
    });

    it('may be taken when the time of their last change has come, and not before', async () => {
      const made = await create('a');
      await tasks.write(made, change('leased', { claimInMs: 1000 }));
      expect(await tasks.claimable(kinds, 10)).toEqual([]);
      test.advance(999);
      expect(await tasks.claimable(kinds, 10)).toEqual([]);
      test.advance(1);
      expect(await tasks.claimable(kinds, 10)).toMatchObject([{ id: idOf('a'), data: 'leased' }]);
      await tasks.write(await read('a'), change('parked'));
      test.advance(50_000);
      expect(await tasks.claimable(kinds, 10)).toEqual([]);
      await tasks.write(await read('a'), change('ready', { claimInMs: 0 }));
      expect(namesOf(await tasks.claimable(kinds, 10))).toEqual(['a']);
    });

    it('follow a lease that is renewed', async () => {
      const made = await create('a');
      await tasks.write(made, change('one', { claimInMs: 1000 }));
      test.advance(900);
      await tasks.write(await read('a'), change('two', { claimInMs: 1000 }));
      test.advance(900);
      expect(await tasks.claimable(kinds, 10)).toEqual([]);
      test.advance(100);
      expect(namesOf(await tasks.claimable(kinds, 10))).toEqual(['a']);
    });
  });

  describe(`the end of tasks, ${name}`, () => {
    it('is reported for tasks that are not over, of any kind, until they are changed', async () => {
      const made = await create('a', { endsInMs: 1000 });
      await create('b', { endsInMs: 2000, kind: 'no worker runs it' });
      expect(await tasks.ending(10)).toEqual([]);
      test.advance(1000);
      expect(namesOf(await tasks.ending(10))).toEqual(['a']);
      expect(namesOf(await tasks.ending(10))).toEqual(['a']);
      expect(await tasks.deleteEnded(10)).toBe(0);
      await tasks.write(made, change('longer', { endsInMs: 5000 }));
      expect(await tasks.ending(10)).toEqual([]);
      test.advance(1000);
      expect(namesOf(await tasks.ending(10))).toEqual(['b']);
      test.advance(4000);
      expect(namesOf(await tasks.ending(10)).sort()).toEqual(['a', 'b']);
      expect(await tasks.ending(1)).toHaveLength(1);
    });

    it('deletes those that are over, with their journals', async () => {
      const made = await create('a', { endsInMs: 1000 });
      await tasks.write(made, change('done', { isOver: true, endsInMs: 500, entries: ['result'] }));
      expect(await read('a')).toMatchObject({ isOver: true, data: 'done' });
      test.advance(499);
      expect(await tasks.deleteEnded(10)).toBe(0);
      test.advance(1);
      expect(await tasks.ending(10)).toEqual([]);
      expect(await tasks.deleteEnded(10)).toBe(1);
      expect(await tasks.read(idOf('a'))).toBeUndefined();
      expect(await journal('a', 0)).toEqual([]);
      expect(await tasks.list('ann', undefined, 10)).toEqual({ tasks: [], next: undefined });
      expect(await tasks.deleteEnded(10)).toBe(0);
    });

    it('deletes a limited number at a time', async () => {
      for (const id of ['a', 'b', 'c']) {
        const made = await create(id);
        await tasks.write(made, change('done', { isOver: true, endsInMs: 10 }));
      }
      test.advance(10);
      expect(await tasks.deleteEnded(2)).toBe(2);
      expect(await tasks.deleteEnded(2)).toBe(1);
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
      expect(await tasks.create(newTask('b'), 1)).toBe('full');
      expect(await tasks.create(newTask('c', { owner: 'bob' }), 1)).toMatchObject({ isNew: true });
      await tasks.write(made, change('done', { isOver: true, endsInMs: 1000 }));
      expect(await tasks.create(newTask('d'), 1)).toMatchObject({ isNew: true });
      expect(await tasks.read(idOf('b'))).toBeUndefined();
    });

    it('are limited even if they are created at the same moment', async () => {
      const made = await Promise.all(
        Array.from({ length: 6 }, (_, n) => Promise.resolve(tasks.create(newTask(`t${n}`), 2))),
      );
      expect(made.filter((one) => one === 'full')).toHaveLength(4);
    });

    it('are the same task for the same key, and another call with it is refused', async () => {
      const key = { name: 'k', digest: 'd1' };
      const made = await tasks.create(newTask('a', { key }), 1);
      expect(made).toMatchObject({ isNew: true, task: { id: idOf('a') } });
      // Even where there is no room for another one.
      expect(await tasks.create(newTask('b', { key }), 1)).toMatchObject({ isNew: false, task: { id: idOf('a') } });
      expect(await tasks.create(newTask('c', { key: { name: 'k', digest: 'd2' } }), 9)).toBe('other-call');
      expect(await tasks.create(newTask('d', { key, owner: 'bob' }), 1)).toMatchObject({ isNew: true });
      expect(await tasks.read(idOf('b'))).toBeUndefined();
    });

    it('are created once of several with the same key', async () => {
      const key = { name: 'k', digest: 'd' };
      const made = await Promise.all(
        Array.from({ length: 6 }, (_, n) => Promise.resolve(tasks.create(newTask(`t${n}`, { key }), 9))),
      );
      const ids = new Set(made.map((one) => (typeof one === 'string' ? one : one.task.id)));
      expect(ids.size).toBe(1);
      expect(made.filter((one) => typeof one !== 'string' && one.isNew)).toHaveLength(1);
    });

    it('free their key when they are deleted', async () => {
      const key = { name: 'k', digest: 'd' };
      const made = await create('a', { key });
      await tasks.write(made, change('done', { isOver: true, endsInMs: 10 }));
      test.advance(10);
      expect(await tasks.create(newTask('b', { key }), 9)).toMatchObject({ isNew: false });
      await tasks.deleteEnded(10);
      expect(await tasks.create(newTask('b', { key }), 9)).toMatchObject({ isNew: true, task: { id: idOf('b') } });
    });
  });
}
