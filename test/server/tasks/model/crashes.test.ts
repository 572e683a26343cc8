/** The engine with a process that stops at each of its operations: the task ends as if none had, and steps that are stored never run again. */
import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { scaled } from '../../../kit/long.ts';
import { sampled } from '../../../kit/sampled.ts';
import { type Crash, type CrashedRun, runWithCrashes } from './crash-run.ts';
import type { Moment } from './crashing.ts';
import { expectedResult, type Program } from './program.ts';
import { testedStores } from './task-stores.ts';

const moments: readonly Moment[] = ['before', 'after', 'late'];

const step = (key: string) => ({ is: 'step', key }) as const;
const ask = (key: string) => ({ is: 'ask', key }) as const;

const survey: Program = [
  [step('open')],
  [step('beside'), ask('name')],
  [step('one'), step('two')],
  [ask('color'), ask('size')],
  [step('close')],
];

/** What is wrong with a run; nothing, if it is as it must be. */
function faultsOf(program: Program, { task, journal, effects, storedAt }: CrashedRun): string[] {
  const faults: string[] = [];
  if (task.state.is !== 'completed') faults.push(`the task is ${task.state.is}: ${task.message}`);
  if (task.crashes > storedAt.length) faults.push(`${task.crashes} workers were lost`);
  const steps: Record<string, unknown> = {};
  for (const entry of journal) {
    if (entry.is !== 'step') continue;
    if (entry.key in steps && steps[entry.key] !== entry.value) faults.push(`step ${entry.key} has two results`);
    steps[entry.key] = entry.value;
  }
  for (const { key, process } of effects)
    if (process > 0 && storedAt[process - 1]?.includes(key)) faults.push(`step ${key} ran after its entry`);
  const runs = effects.map(({ key, process }) => `${key} in process ${process}`);
  for (const [index, run] of runs.entries()) if (runs.indexOf(run) < index) faults.push(`step ${run} ran twice`);
  const answered = journal.flatMap((entry) => (entry.is === 'answer' ? [entry.key] : []));
  if (new Set(answered).size < answered.length) faults.push(`answers are stored twice: ${answered.join(', ')}`);
  const outcomes = journal.filter(({ is }) => is === 'result' || is === 'error');
  if (outcomes.length !== 1) faults.push(`the task has ${outcomes.length} outcomes`);
  const [outcome] = outcomes;
  const { content } = (outcome?.is === 'result' ? outcome.done.result : {}) as { content?: { text: string }[] };
  const wanted = JSON.stringify(Object.entries(expectedResult(program, steps)).sort());
  const text = JSON.stringify(Object.entries(JSON.parse(content?.[0]?.text ?? '{}') as object).sort());
  if (text !== wanted) faults.push(`the result is ${text}, not ${wanted}`);
  return faults;
}

describe.each(testedStores)('a task whose process stops, on %s', (_name, open) => {
  it.each(moments)('goes on in another one, wherever the first stops: %s the operation [S18]', async (moment) => {
    const { operations } = await runWithCrashes(survey, [], open);
    expect(operations).toBeGreaterThan(20);
    for (const at of sampled(
      Array.from({ length: operations }, (_, before) => before + 1),
      5,
    )) {
      const run = await runWithCrashes(survey, [{ at, moment }], open);
      expect({ at, faults: faultsOf(survey, run) }).toEqual({ at, faults: [] });
    }
  });

  it('goes on through any program and any stops [S18]', async () => {
    await fc.assert(
      fc.asyncProperty(programs, crashLists, async (program, crashes) => {
        expect(faultsOf(program, await runWithCrashes(program, crashes, open))).toEqual([]);
      }),
      { numRuns: scaled(8, 500) },
    );
  });
});

/** One to five lines of one to three parts, each with a key of its own. */
const programs: fc.Arbitrary<Program> = fc
  .array(fc.array(fc.constantFrom<'step' | 'ask'>('step', 'step', 'ask'), { minLength: 1, maxLength: 3 }), {
    minLength: 1,
    maxLength: 5,
  })
  .map((lines) => lines.map((parts, line) => parts.map((is, index) => ({ is, key: `${is}${line}${index}` }))));

const crashLists: fc.Arbitrary<Crash[]> = fc.array(
  fc.record({ at: fc.integer({ min: 1, max: 30 }), moment: fc.constantFrom(...moments) }),
  { maxLength: 3 },
);
