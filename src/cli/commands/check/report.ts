/** What the doctor found, step by step, as a result and as text. */
import { type ConnectStep, connectSteps } from '../../../lib/errors/connect-steps.ts';
import { messageWithoutHint, TenonError } from '../../../lib/errors/tenon-error.ts';
import type { Io } from '../../io/io.ts';
import { printable } from '../../output/content.ts';
import { styleFor } from '../../output/style.ts';
import type { SignInFindings } from './sign-in-check.ts';

/** A step that was run, or was not because one before it failed. */
export interface CheckedStep {
  readonly step: ConnectStep;
  /** What the step needs to pass. */
  readonly needs: string;
  readonly outcome: 'passed' | 'failed' | 'skipped';
  /** What was found, or what failed. */
  readonly text?: string;
  readonly hint?: string;
  readonly code?: unknown;
}

export const passed = (step: ConnectStep, text?: string): CheckedStep => ({
  step,
  needs: connectSteps[step],
  outcome: 'passed',
  ...(text !== undefined && { text }),
});

export const skipped = (step: ConnectStep): CheckedStep => ({ step, needs: connectSteps[step], outcome: 'skipped' });

export function failed(step: ConnectStep, error: unknown): CheckedStep {
  const outcome = { step, needs: connectSteps[step], outcome: 'failed' } as const;
  const { code, message } = error as { readonly code?: unknown; readonly message?: string };
  if (!(error instanceof TenonError)) return { ...outcome, text: message ?? String(error), code };
  const { hint } = error;
  return { ...outcome, text: messageWithoutHint(error), code, ...(hint !== undefined && { hint }) };
}

const marks = { passed: '✓', failed: '✗', skipped: '-' } as const;

/** A line for each step; below a failed one what it needs, and what to do. */
export function shownSteps(
  steps: readonly CheckedStep[],
  warnings: readonly string[],
  io: Io,
  signIn?: SignInFindings,
): string {
  const style = styleFor(io);
  const width = Math.max(...steps.map(({ step }) => step.length));
  const paint = { passed: style.good, failed: style.bad, skipped: style.dim };
  const lines = steps.flatMap(({ step, outcome, text = outcome === 'skipped' ? 'not run' : '', hint, needs }) => {
    const indented = printable(text, io).replaceAll('\n', `\n${' '.repeat(width + 2)}`);
    const line = `${paint[outcome](marks[outcome])} ${step.padEnd(width)}  ${indented}`.trimEnd();
    if (outcome !== 'failed') return [line];
    const more = [needs, ...(hint === undefined ? [] : [hint])];
    return [line, ...more.map((one) => `  ${' '.repeat(width)}  ${style.dim(one)}`)];
  });
  if (signIn !== undefined) lines.push(...signInLines(signIn, width, io));
  return [...lines, ...warnings.map((warning) => `! ${printable(warning, io)}`)].join('\n');
}

function signInLines({ provider, problems }: SignInFindings, width: number, io: Io): string[] {
  const style = styleFor(io);
  const name = 'sign-in'.padEnd(width);
  const isRight = `${provider}: no wrong setting was found without a user`;
  if (problems.length === 0) return [`${style.good(marks.passed)} ${name}  ${printable(isRight, io)}`];
  return problems.map((problem) => `${style.bad(marks.failed)} ${name}  ${printable(problem, io)}`);
}
