/** `tenon doctor`: runs the steps of connecting one by one, and says what to do about the one that fails. */
import type { RunCommand } from '../../io/command.ts';
import { exitCodeOf } from '../../io/exit-codes.ts';
import type { Given } from '../../io/given.ts';
import { readTarget } from '../../target/read-target.ts';
import { type Findings, type Phase, phasesFor, urlOf } from './phases.ts';
import { type CheckedStep, failed, passed, shownSteps, skipped } from './report.ts';
import { checkSignIn } from './sign-in-check.ts';

export const run: RunCommand = async (given) => {
  const steps: CheckedStep[] = [];
  const warnings: string[] = [];
  let failure: unknown;
  const { phases, url } = await phasesOf(given, warnings);
  for (const phase of phases) {
    if (failure !== undefined) steps.push(...phase.steps.map(skipped));
    else failure = await runPhase(phase, steps);
  }
  const signIn = url !== undefined && isWithoutToken(steps) ? await checkSignIn(url).catch(() => undefined) : undefined;
  return {
    result: { steps, warnings, ...(signIn !== undefined && { signIn }) },
    text: shownSteps(steps, warnings, given.io, signIn),
    exit: failure === undefined ? 0 : exitCodeOf(failure),
  };
};

/** Which steps follow depends on the target; one that cannot be read is the only step. */
async function phasesOf(given: Given, warnings: string[]): Promise<{ phases: readonly Phase[]; url: URL | undefined }> {
  const reading = await readTarget(given).then(
    ({ shown, target }) => ({
      findings: { target: shown },
      rest: phasesFor(target, given, warnings),
      url: urlOf(target),
    }),
    (error: unknown) => ({ error, rest: [], url: undefined }),
  );
  const run = async (): Promise<Findings> => {
    if ('error' in reading) throw reading.error;
    return reading.findings;
  };
  return { phases: [{ steps: ['target'], run }, ...reading.rest], url: reading.url };
}

/** How users sign in matters where the server refuses those who have not. */
const isWithoutToken = (steps: readonly CheckedStep[]): boolean =>
  steps.some(({ step, outcome }) => step === 'authorize' && outcome === 'failed');

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
