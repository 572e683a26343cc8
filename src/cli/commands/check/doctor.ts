/** `tenon doctor`: runs the steps of connecting one by one, and says what to do about the one that fails. */
import type { RunCommand } from '../../io/command.ts';
import { exitCodeOf } from '../../io/exit-codes.ts';
import type { Given } from '../../io/given.ts';
import { readTarget } from '../../target/read-target.ts';
import { type Findings, type Phase, phasesFor } from './phases.ts';
import { type CheckedStep, failed, passed, shownSteps, skipped } from './report.ts';

export const run: RunCommand = async (given) => {
  const steps: CheckedStep[] = [];
  const warnings: string[] = [];
  let failure: unknown;
  for (const phase of await phasesOf(given, warnings)) {
    if (failure !== undefined) steps.push(...phase.steps.map(skipped));
    else failure = await runPhase(phase, steps);
  }
  return {
    result: { steps, warnings },
    text: shownSteps(steps, warnings, given.io),
    exit: failure === undefined ? 0 : exitCodeOf(failure),
  };
};

/** Which steps follow depends on the target; one that cannot be read is the only step. */
async function phasesOf(given: Given, warnings: string[]): Promise<readonly Phase[]> {
  const reading = await readTarget(given).then(
    ({ shown, target }) => ({ findings: { target: shown }, rest: phasesFor(target, given, warnings) }),
    (error: unknown) => ({ error, rest: [] }),
  );
  const run = async (): Promise<Findings> => {
    if ('error' in reading) throw reading.error;
    return reading.findings;
  };
  return [{ steps: ['target'], run }, ...reading.rest];
}

/** Adds the outcome of its steps; returns the error if one fails. */
async function runPhase(phase: Phase, outcomes: CheckedStep[]): Promise<unknown> {
  const { steps } = phase;
  try {
    const findings = await phase.run();
    outcomes.push(...steps.map((step) => passed(step, findings[step])));
    return undefined;
  } catch (error) {
    const at = failedIndex(error, phase);
    for (const [index, step] of steps.entries())
      outcomes.push(index < at ? passed(step) : index === at ? failed(step, error) : skipped(step));
    return error;
  }
}

/** An error without a step counts for the last step of the phase. */
function failedIndex(error: unknown, { steps }: Phase): number {
  const { step } = error as Pick<CheckedStep, 'step'>;
  if (step === undefined) return steps.length - 1;
  return Math.max(0, steps.indexOf(step));
}
