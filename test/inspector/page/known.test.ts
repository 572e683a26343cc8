/** What the page knows follows the events of the backend. */
import { describe, expect, it } from 'vitest';
import { isDone } from '../../../apps/inspector/src/shell/done-steps.ts';
import {
  fromOverview,
  type Known,
  maxLogLines,
  nothingKnown,
  reduce,
} from '../../../apps/inspector/src/state/known.ts';
import type { InspectorChange, RunInfo, TourStep } from '../../../src/inspector/api.ts';
import { client, question } from './sample.ts';

const after = (known: Known, ...changes: readonly InspectorChange[]): Known =>
  changes.reduce((next, change, at) => reduce(next, { seq: at + 1, at: 1000 + at, ...change }), known);

const run = (id: string, more: Partial<RunInfo> = {}): RunInfo => ({
  id,
  client: 'c1',
  request: { kind: 'tool', name: 'weather', arguments: {} },
  status: 'running',
  startedAt: 1,
  ...more,
});

const task = (status: 'working' | 'input_required' | 'completed') => ({
  taskId: 't1',
  status,
  createdAt: '',
  lastUpdatedAt: '',
  ttlMs: null,
});

describe('events of the backend [S32]', () => {
  it('replace a client and a run by its id, and put new runs first', () => {
    const one = client('c1', 'a');
    const known = after(
      nothingKnown,
      { type: 'client', client: one },
      { type: 'client', client: { ...one, state: 'closed' } },
      { type: 'run', run: run('r1') },
      { type: 'run', run: run('r2') },
      { type: 'run', run: run('r1', { status: 'done' }) },
    );
    expect(known.clients.map(({ state }) => state)).toEqual(['closed']);
    expect(known.runs.map(({ id, status }) => [id, status])).toEqual([
      ['r2', 'running'],
      ['r1', 'done'],
    ]);
  });

  it('remove the questions and tasks of a client that was removed', () => {
    const known = after(
      nothingKnown,
      { type: 'client', client: client('c1', 'a') },
      { type: 'question', question: question('q1') },
      { type: 'task', client: 'c1', task: task('working') },
    );
    expect([known.questions.length, known.tasks.length]).toEqual([1, 1]);
    const removed = after(known, { type: 'client-removed', client: 'c1' });
    expect([removed.clients, removed.questions, removed.tasks]).toEqual([[], [], []]);
  });

  it.each(['input_required', 'completed'] as const)('update a task to %s, which its run leaves as it is', (status) => {
    const known = after(
      nothingKnown,
      { type: 'run', run: run('r1', { task: task('working') }) },
      { type: 'task', client: 'c1', task: task(status) },
      // The run has the task as it was when it began.
      { type: 'run', run: run('r1', { task: task('working'), progress: { progress: 1 } }) },
    );
    expect(known.tasks.map((each) => each.task.status)).toEqual([status]);
  });

  it('count the changes of each list, and drop the oldest log lines beyond the limit', () => {
    const lines = Array.from(
      { length: maxLogLines + 5 },
      (_, at): InspectorChange => ({ type: 'log', client: 'c1', level: 'info', data: at }),
    );
    const known = after(nothingKnown, { type: 'list-changed', client: 'c1', kind: 'tools' }, ...lines);
    expect(known.listChanges).toEqual({ 'c1 tools': 1 });
    expect([known.logs.length, known.logs[0]?.data]).toEqual([maxLogLines, 5]);
  });

  it('leave logs in place when a new overview comes', () => {
    const known = after(nothingKnown, { type: 'log', client: 'c1', level: 'info', data: 'a' });
    const overview = {
      version: '1',
      process: 'p',
      protocolVersions: [],
      clients: [],
      runs: [run('r1', { task: task('working') })],
      questions: [],
      recordings: [],
      logs: [{ type: 'output', client: 'c1', stream: 'stderr', text: 'b', seq: 7, at: 7 }] as const,
      seq: 1,
    };
    const next = fromOverview(overview, known);
    expect(next.logs.map(({ source, data }) => [source, data])).toEqual([
      ['server', 'a'],
      ['process', 'b'],
    ]);
    expect(next.tasks).toHaveLength(1);
  });
});

describe('a step of the tour', () => {
  const step = (doneBy: TourStep['doneBy']): TourStep => ({ id: 's', title: 'a', hint: 'b', opens: {}, doneBy });
  const nothing = { isMoment: false, copied: undefined };
  const done = (id: string, protocolVersion: string) => run(id, { status: 'done', protocolVersion });
  const resource = { kind: 'resource', uri: 'note://a' } as const;

  it.each([
    ['a call that has a result', { tool: 'weather' }, [done('r1', 'a')], nothing],
    [
      'a task that is followed after a restart',
      { tool: 'weather' },
      [run('r1', { status: 'done', request: { kind: 'task', taskId: 't', tool: 'weather' } })],
      nothing,
    ],
    ['calls in two versions', { tool: 'weather', versions: 2 }, [done('r1', 'a'), done('r2', 'b')], nothing],
    ['a refused call', { refused: 'weather' }, [run('r1', { status: 'failed' })], nothing],
    ['a resource that was read', { resource: 'note://a' }, [run('r1', { status: 'done', request: resource })], nothing],
    ['a moment', { moment: true }, [], { ...nothing, isMoment: true }],
    ['a copy', { copied: 'curl' }, [], { ...nothing, copied: 'curl' }],
  ] as const)('is done by %s, and not before', (_, doneBy, runs, seen) => {
    expect(isDone(step(doneBy), runs, seen)).toBe(true);
    expect(isDone(step(doneBy), [run('r0')], nothing)).toBe(false);
  });

  it('for two versions is not done by two calls in one', () => {
    expect(isDone(step({ tool: 'weather', versions: 2 }), [done('r1', 'a'), done('r2', 'a')], nothing)).toBe(false);
  });
});
