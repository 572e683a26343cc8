/** Workers as real processes: they are drained, killed and stopped while a task runs. */
import { describe, expect, it } from 'vitest';
import type { Done } from '../../../src/protocol/neutral.ts';
import { enginesHere } from '../../kit/stores/engines.ts';
import { createReport, endLease, newTasks, startWorker, whenOver } from './worker-processes.ts';

const stepTwo = ({ step }: { readonly step?: unknown }): boolean => step === 'two';
const resultOf = (outcome: unknown): unknown => (outcome as Done).result.content;
const text = (value: string): unknown => [{ type: 'text', text: value }];

describe.each(enginesHere)('a worker process without an endpoint, on %s', (_label, engine) => {
  it('runs the tasks of its store, and closes at a signal', async () => {
    const { url, tasks } = await newTasks(engine);
    const made = await createReport(tasks);
    const worker = await startWorker('only', url);
    const { task, journal } = await whenOver(tasks, made);
    expect(task).toMatchObject({ state: { is: 'completed' }, attempts: 1, crashes: 0 });
    expect(resultOf(journal.outcome)).toEqual(text('two by only, end by only'));
    worker.signal('SIGTERM');
    expect(await worker.exited).toBe(0);
  });

  it('stores the step that runs when a signal closes it, and leaves the rest to another one', async () => {
    const { url, tasks } = await newTasks(engine);
    const made = await createReport(tasks);
    const first = await startWorker('first', url);
    await first.said(stepTwo);
    first.signal('SIGTERM');
    expect(await first.exited).toBe(0);
    const second = await startWorker('second', url);
    const { task, journal } = await whenOver(tasks, made);
    expect(task).toMatchObject({ state: { is: 'completed' }, attempts: 1, crashes: 0 });
    expect(resultOf(journal.outcome)).toEqual(text('two by first, end by second'));
    expect(second.lines.filter(({ step }) => step !== undefined)).toEqual([]);
  });

  it('is replaced when it is killed: the step in the middle of which it was runs again, and no other', async () => {
    const { url, tasks } = await newTasks(engine);
    const made = await createReport(tasks);
    const first = await startWorker('first', url);
    await first.said(stepTwo);
    first.signal('SIGKILL');
    await first.exited;
    await endLease(tasks, made);
    const second = await startWorker('second', url);
    const { task, journal } = await whenOver(tasks, made);
    expect(task).toMatchObject({ state: { is: 'completed' }, attempts: 1, crashes: 1 });
    expect(resultOf(journal.outcome)).toEqual(text('two by second, end by second'));
    // Its line may come after its outcome was read from the store.
    await second.said(stepTwo);
    expect(second.lines.filter(({ step }) => step !== undefined)).toEqual([{ by: 'second', step: 'two' }]);
  });

  it('that was stopped and wakes up after its lease is refused every write', async () => {
    const { url, tasks } = await newTasks(engine);
    const made = await createReport(tasks);
    const first = await startWorker('first', url);
    await first.said(stepTwo);
    first.signal('SIGUSR2');
    await first.said(({ stops }) => stops === true);
    await endLease(tasks, made);
    await startWorker('second', url);
    const { journal } = await whenOver(tasks, made);
    expect(resultOf(journal.outcome)).toEqual(text('two by second, end by second'));
    const before = await tasks.readJournal(made.row.id, 0);
    first.signal('SIGCONT');
    expect(await first.said(({ refused }) => refused !== undefined)).toMatchObject({
      refused: expect.stringMatching(/^(task-lost|input-required)$/),
    });
    first.signal('SIGTERM');
    expect(await first.exited).toBe(0);
    expect(await tasks.readJournal(made.row.id, 0)).toEqual(before);
  });
});
