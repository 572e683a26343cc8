/** `tenon doctor`: runs the steps of connecting one by one, and says what to do about the one that fails. */

import type { Target } from '../../../node/connect.ts';
import type { RunCommand } from '../../io/command.ts';
import { exitCodeOf } from '../../io/exit-codes.ts';
import type { Given } from '../../io/given.ts';
import { readConnection } from '../../target/open-client.ts';
import { type Findings, type Phase, phasesFor, urlOf } from './phases.ts';
import { type CheckedStep, failed, passed, shownSteps, skipped } from './report.ts';
import { checkSignIn } from './sign-in-check.ts';

export const run: RunCommand = async (given) => {
  const steps: CheckedStep[] = [];
  const warnings: string[] = [];
  let failure: unknown;
  const output: string[] = [];
  const { phases, url } = await phasesOf(given, warnings, output);
  for (const phase of phases) {
    if (failure !== undefined) steps.push(...phase.steps.map(skipped));
    else failure = await runPhase(phase, steps);
  }
  const signIn = url !== undefined && isWithoutToken(steps) ? await checkSignIn(url).catch(() => undefined) : undefined;
  return {
    result: { steps, warnings, output, ...(signIn !== undefined && { signIn }) },
    text: shownSteps({ steps, warnings, output, signIn }, given.io),
    exit: failure === undefined ? 0 : exitCodeOf(failure),
  };
};

/** Which steps follow depends on the target; one that cannot be read is the only step. */
async function phasesOf(
  given: Given,
  warnings: string[],
  output: string[],
): Promise<{ phases: readonly Phase[]; url: URL | undefined }> {
  const reading = await readConnection(given).then(
    (connection) => ({
      findings: { target: connection.shown },
      rest: phasesFor({ ...connection, target: withOutput(connection.target, output) }, given.io, warnings),
      url: urlOf(connection.target),
    }),
    (error: unknown) => ({ error, rest: [], url: undefined }),
  );
  const run = async (): Promise<Findings> => {
    if ('error' in reading) throw reading.error;
    return reading.findings;
  };
  return { phases: [{ steps: ['target'], run }, ...reading.rest], url: reading.url };
}

/** The last lines are enough to see what a program complains about. */
const maxLines = 20;

/** What a program prints is in the report once, not above it as well. */
function withOutput(target: Target, output: string[]): Target {
  if (typeof target !== 'object' || !('command' in target) || target.stderr === 'ignore') return target;
  const stderr = (line: string): void => {
    output.push(line);
    if (output.length > maxLines) output.shift();
  };
  return { ...target, stderr };
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
