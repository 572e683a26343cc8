/** Tasks in an SQLite file while the clock of the machine is set back: they resume after their lease, and stay readable. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join as joined } from 'node:path';
import { openSqliteStore, type SqliteStore } from 'tenon/sqlite';
import { afterEach, describe, expect, it, onTestFinished } from 'vitest';
import { createFakeClock } from '../../../../src/lib/time/fake-clock.ts';
import { findRevision } from '../../../../src/protocol/revisions/revisions.ts';
import { withTasks } from '../../../../src/protocol/tasks/extension-tasks.ts';
import { wholeTask } from '../../../../src/server/lifecycle/tasks/task-fields.ts';
import { deferred } from '../../../kit/deferred.ts';
import { closeEngines, cluster, create, type Handler, reached, textOf, viewOf } from './cluster.ts';

afterEach(closeEngines);

const hour = 3_600_000;
const leaseMs = 15_000;

/** Processes of one machine that share a file; each opens it when it begins. */
async function machine() {
  const folder = mkdtempSync(joined(tmpdir(), 'tenon-clock-'));
  let clock = (): number => 0;
  const stores: SqliteStore[] = [];
  const open = async (): Promise<SqliteStore> => {
    const store = await openSqliteStore(joined(folder, 'store.db'), { now: () => clock() });
    stores.push(store);
    return store;
  };
  onTestFinished(async () => {
    await closeEngines();
    for (const store of stores) await store.close();
    rmSync(folder, { recursive: true });
  });
  const first = await open();
  const nodes = cluster((now) => {
    clock = now;
    return first;
  });
  return {
    ...nodes,
    /** A process that begins now. */
    async begin(handler: Handler) {
      const { tasks } = await open();
      return nodes.join(handler, { reached: () => tasks });
    },
  };
}

const revision = withTasks(findRevision('2026-07-28') ?? expect.fail('the revision is missing'));
const implementation = { name: 'shop', version: '1.0.0' };

describe('a task in an SQLite file, on a machine whose clock is set back by an hour', () => {
  it('resumes in another process after the lease of one that was stopped, not an hour later [S18, S31]', async () => {
    const { join, setStoreClock, pass, begin } = await machine();
    const steps: string[] = [];
    const begun = deferred();
    const stopped = join(
      async (_, ctx) => {
        await ctx.step('one', () => void steps.push('one'));
        begun.resolve();
        await new Promise(() => {});
      },
      { clock: createFakeClock() },
    );
    const made = await create(stopped);
    await begun.promise;
    setStoreClock(-hour);
    const next = await begin(async (_, ctx) => {
      await ctx.step('one', () => void steps.push('again'));
      return 'resumed';
    });
    await pass(leaseMs - 1000);
    expect((await viewOf(next, made)).task).toMatchObject({ state: { is: 'running' }, attempts: 1 });
    await pass(3000);
    await reached(next, made, 'completed');
    expect([await textOf(next, made), steps]).toEqual(['resumed', ['one']]);
  });

  it('ends its sleep when it should', async () => {
    const { setStoreClock, pass, begin } = await machine();
    const node = await begin(async (_, ctx) => {
      await ctx.sleep('a while', 60_000);
      return 'awake';
    });
    const made = await create(node);
    await reached(node, made, 'parked');
    setStoreClock(-hour);
    await pass(61_000);
    await reached(node, made, 'completed');
    expect(await textOf(node, made)).toBe('awake');
  });

  it('is readable after it has finished, as long as its ttl, in every process', async () => {
    const { setStoreClock, begin } = await machine();
    const node = await begin(() => 'done');
    const made = await create(node);
    await reached(node, made, 'completed');
    setStoreClock(-hour);
    for (const reader of [node, await begin(() => 'never')]) {
      expect(await textOf(reader, made)).toBe('done');
      expect(wholeTask(await viewOf(reader, made), revision, implementation)).toMatchObject({ status: 'completed' });
    }
    const { now, endsAt } = (await viewOf(node, made)).row;
    setStoreClock(endsAt - now - 1);
    expect(await textOf(node, made)).toBe('done');
    setStoreClock(2);
    expect(await node.read(made.row.id, 'ann')).toBeUndefined();
  });

  it('has a valid ttl also if it seems to be created after it has finished', async () => {
    const { begin } = await machine();
    const node = await begin(() => 'done');
    const made = await create(node);
    await reached(node, made, 'completed');
    const view = await viewOf(node, made);
    const early = { ...view, row: { ...view.row, createdAt: view.row.endsAt + 1500 } };
    const shown = wholeTask(early, revision, implementation) as { readonly ttlMs: number };
    const written = revision.client.requests.get('tasks/get')?.result({ resultType: 'complete', ...shown });
    expect([shown.ttlMs, written]).toEqual([0, true]);
  });
});
