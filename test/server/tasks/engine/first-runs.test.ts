/** Tasks whose first run was begun by the process that received the call, and that process is lost. */
import { afterEach, describe, expect, it } from 'vitest';
import { RpcError } from '../../../../src/jsonrpc/errors.ts';
import { firstEntries } from '../../../../src/server/lifecycle/tasks/engine/entries.ts';
import type { Lease } from '../../../../src/server/lifecycle/tasks/engine/task.ts';
import { TaskRecords } from '../../../../src/server/lifecycle/tasks/engine/task-records.ts';
import { newTaskId } from '../../../../src/store/parts/task-id.ts';
import type { TaskStore } from '../../../../src/store/task-store.ts';
import { closeEngines, cluster, reached, textOf, viewOf } from './cluster.ts';

afterEach(closeEngines);

const lease: Lease = { node: 'lost', nonce: 'lost 1' };
const call = { params: { name: 'report', arguments: {} }, meta: {}, revision: '2026-07-28', capabilities: {} };
const step = { is: 'step', key: 'a', value: 'of the first run' } as const;
const limits = { ttlMs: 3_600_000, deadlineMs: 86_400_000, pollIntervalMs: 1000 };

/** A task as the process that received its call has stored it. */
async function begun(tasks: TaskStore, more: { readonly isUnannounced?: true }) {
  const records = new TaskRecords(tasks, { leaseMs: 15_000, maxCrashes: 5, retentionMs: 600_000 });
  const made = await records.create(
    {
      owner: 'ann',
      kind: 'shop/report@',
      ...limits,
      entries: firstEntries(call, undefined, [step]),
      begun: { id: newTaskId('ann'), lease, ...more },
    },
    { maxLive: 10, maxStored: 100, maxInShard: 100 },
  );
  if (typeof made === 'string') throw new Error(made);
  return { records, made };
}

describe('a task whose first run was lost with its process', () => {
  it('is not taken while the process holds it, and not run again before its caller had it: its outcome is unknown', async () => {
    const { join, pass, tasks } = cluster();
    let runs = 0;
    const { made } = await begun(tasks, { isUnannounced: true });
    const engine = join(() => `run ${++runs}`);
    await pass(14_000);
    expect((await viewOf(engine, made)).task.state).toEqual({ is: 'running', lease });
    await pass(3000);
    const { task, journal } = await viewOf(engine, made);
    expect(task.state.is).toBe('failed');
    expect(journal.outcome).toBeInstanceOf(RpcError);
    expect(journal.outcome).toMatchObject({ data: { outcome: 'unknown', retry: false } });
    expect(runs).toBe(0);
  });

  it('goes on in another process once its caller had it, with the steps so far', async () => {
    const { join, pass, tasks } = cluster();
    const { records, made } = await begun(tasks, { isUnannounced: true });
    await records.change(made, { type: 'beat', lease, isAnnounced: true });
    const engine = join((_given, ctx) => ctx.step('a', () => 'of another run'));
    await pass(17_000);
    await reached(engine, made, 'completed');
    expect(await textOf(engine, made)).toBe('of the first run');
  });

  it('goes on also if an idempotency key leads to it', async () => {
    const { join, pass, tasks } = cluster();
    const { made } = await begun(tasks, {});
    const engine = join((_given, ctx) => ctx.step('a', () => 'of another run'));
    await pass(17_000);
    await reached(engine, made, 'completed');
    expect(await textOf(engine, made)).toBe('of the first run');
  });
});

describe('a step with ifUncertain: fail', () => {
  it('that may have run before fails the task as one whose outcome is unknown, and is not run again', async () => {
    const { join, pass, tasks, errors } = cluster();
    const { records, made } = await begun(tasks, {});
    await records.change(made, { type: 'beat', lease }, [JSON.stringify({ is: 'begun', key: 'pay' })]);
    let paid = 0;
    const engine = join((_given, ctx) => ctx.step('pay', () => `paid ${++paid}`, { ifUncertain: 'fail' }));
    await pass(17_000);
    await reached(engine, made, 'failed');
    const { outcome } = (await viewOf(engine, made)).journal;
    expect(outcome).toMatchObject({
      reason: 'server-error',
      message: expect.stringContaining('whether the step was carried out is unknown'),
      data: { outcome: 'unknown', retry: false },
    });
    expect(errors).toMatchObject([{ code: 'outcome-unknown', details: { step: 'pay' } }]);
    expect(paid).toBe(0);
  });
});
