/** Tasks that no process takes: of a version or tool that none has, or because all are busy. */
import { afterEach, describe, expect, it } from 'vitest';
import { infoOf } from '../../../../src/server/lifecycle/tasks/task-fields.ts';
import { closeEngines, cluster, create, reached, viewOf } from './cluster.ts';

afterEach(closeEngines);

describe('a task whose version no process has', () => {
  it('says so after a while, and is taken when a process with it comes', async () => {
    const { join, pass } = cluster();
    const newer = join(() => 'new', { kinds: ['shop/report@2'] });
    const made = await create(newer, { kind: 'shop/report@1' });
    await pass(2000);
    expect(infoOf(await viewOf(newer, made)).statusMessage).toBeUndefined();
    await pass(4000);
    const waiting = infoOf(await viewOf(newer, made));
    expect(waiting).toMatchObject({
      status: 'working',
      statusMessage:
        'The task waits for a process that has the tool "report" in version "1" of the server "shop"; the one that answers has not.',
    });
    const { tasks } = await newer.list('ann', undefined, 10);
    expect(tasks.map((record) => infoOf(record).statusMessage)).toEqual([waiting.statusMessage]);
    const older = join(() => 'old', { kinds: ['shop/report@1'] });
    await reached(older, made, 'completed');
    expect(infoOf(await viewOf(newer, made)).statusMessage).toBeUndefined();
  });

  it('no longer says so when a process has taken it, though that has written nothing', async () => {
    const { join, pass } = cluster();
    const newer = join(() => 'new', { kinds: ['shop/report@2'] });
    const made = await create(newer, { kind: 'shop/report@1' });
    await pass(30_000);
    expect(infoOf(await viewOf(newer, made)).statusMessage).toContain('in version "1"');
    const older = join(() => new Promise(() => {}), { kinds: ['shop/report@1'] });
    const { row } = await reached(older, made, 'running');
    expect(row.version).toContain(older.node);
    const { statusMessage, createdAt, updatedAt } = infoOf(await viewOf(newer, made));
    expect(statusMessage).toBeUndefined();
    expect(updatedAt).toBe(createdAt + 30_000);
  });

  it('ends at its deadline with an error that names it', async () => {
    const { join, pass } = cluster();
    const newer = join(() => 'new', { kinds: ['shop/report@2'] });
    const made = await create(newer, { kind: 'shop/report@1', deadlineMs: 60_000 });
    await pass(80_000);
    const { task, journal } = await viewOf(newer, made);
    const message =
      'The deadline of the task has passed: no process took it that has the tool "report" in version "1" of the server "shop"';
    expect(task).toMatchObject({ state: { is: 'failed' }, message });
    expect(journal.outcome).toMatchObject({ message });
  });

  it('says so too if it was left by a lost process, or its sleep is over', async () => {
    const { join, pass } = cluster();
    const older = join(async (_, ctx) => `${await ctx.sleep('pause', 2000)}`, { kinds: ['shop/report@1'] });
    const made = await create(older, { kind: 'shop/report@1' });
    await reached(older, made, 'parked');
    await older.close();
    const newer = join(() => 'new', { kinds: ['shop/report@2'] });
    await pass(5000);
    expect(infoOf(await viewOf(newer, made)).statusMessage).toBeUndefined();
    await pass(4000);
    expect(infoOf(await viewOf(newer, made)).statusMessage).toContain('in version "1"');
  });
});

describe('a task for which no process has room', () => {
  it('says that it waits for one', async () => {
    const { join, pass } = cluster();
    const engine = join(() => new Promise(() => {}), { limits: { maxConcurrent: 1 } });
    const first = await create(engine);
    const second = await create(engine);
    await reached(engine, first, 'running');
    await pass(6000);
    expect(infoOf(await viewOf(engine, first)).statusMessage).toBeUndefined();
    expect(infoOf(await viewOf(engine, second)).statusMessage).toBe(
      'The task waits for a process that has room for the tool "report" of the server "shop".',
    );
  });
});
