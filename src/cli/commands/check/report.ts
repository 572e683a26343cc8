/** What the doctor found, step by step, as a result and as text. */
import { type ConnectStep, connectSteps } from '../../../lib/errors/connect-steps.ts';
import { messageWithoutHint, TenonError } from '../../../lib/errors/tenon-error.ts';
import type { Io } from '../../io/io.ts';
import { printable } from '../../output/content.ts';
import { shownHint } from '../../output/shown-hint.ts';
import { styleFor } from '../../output/style.ts';
import { wrapped } from '../../output/wrapped.ts';
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
  return { ...outcome, text: messageWithoutHint(error), code, ...(hint !== undefined && { hint: shownHint(hint) }) };
}

const marks = { passed: '✓', failed: '✗', skipped: '-' } as const;

/** What the doctor has found out. */
export interface Findings {
  readonly steps: readonly CheckedStep[];
  readonly warnings: readonly string[];
  /** The last lines that the program of the server wrote to standard error. */
  readonly output: readonly string[];
  readonly signIn?: SignInFindings | undefined;
}

/** A line for each step; below a failed one what was expected, what was found, and what to do. */
export function shownSteps({ steps, warnings, output, signIn }: Findings, io: Io): string {
  const style = styleFor(io);
  const width = Math.max(...steps.map(({ step }) => step.length));
  const paint = { passed: style.good, failed: style.bad, skipped: style.dim };
  const lines = steps.flatMap((one) => {
    const { step, outcome, text = outcome === 'skipped' ? 'not run' : '' } = one;
    const head = `${paint[outcome](marks[outcome])} ${step}`;
    if (outcome === 'failed') return [head, ...failureLines(one, io)];
    return [`${head}${' '.repeat(width - step.length)}  ${printable(text, io)}`.trimEnd()];
  });
  if (signIn !== undefined) lines.push(...signInLines(signIn, width, io));
  const found = steps.find(({ outcome }) => outcome === 'failed')?.text ?? '';
  // An error of a program that exits has these lines already.
  const isShown = output.length === 0 || found.includes(output.at(-1) ?? '');
  const printed = isShown
    ? []
    : ['', 'Standard error of the server:', ...output.map((line) => `  ${printable(line, io)}`)];
  return [...lines, ...warnings.map((warning) => `! ${printable(warning, io)}`), ...printed].join('\n').trimEnd();
}

/** What to do is what the reader looks for. */
function failureLines({ needs, text = '', hint }: CheckedStep, io: Io): string[] {
  const style = styleFor(io);
  const rows = [
    labelled('expected', needs, io, style.dim),
    labelled('found', text, io, (shown) => shown),
    ...(hint === undefined ? [] : ['', labelled('fix', hint, io, style.title)]),
  ];
  return [...rows, ''];
}

const indent = ' '.repeat(4);
const labelWidth = 'expected  '.length;

/** Wrapped to the width of the terminal; lines of the text stay lines. */
function labelled(label: string, text: string, { columns, isTerminal }: Io, paint: (text: string) => string): string {
  const next = ' '.repeat(indent.length + labelWidth);
  return printable(text, { isTerminal })
    .split('\n')
    .map((line, at) => {
      const begin = at === 0 ? indent + label.padEnd(labelWidth) : next + (/^\s+/.exec(line)?.[0] ?? '').slice(0, 8);
      return line.trim() === '' ? '' : wrapped(line, columns, begin, ' '.repeat(begin.length));
    })
    .map((block, at) => (at === 0 ? `${indent}${paint(block.slice(indent.length))}` : paint(block)))
    .join('\n');
}

function signInLines({ provider, problems, unchecked }: SignInFindings, width: number, io: Io): string[] {
  const style = styleFor(io);
  const name = 'sign-in'.padEnd(width);
  if (unchecked !== undefined)
    return [`${style.dim(marks.skipped)} ${name}  ${printable(`${provider}: not checked, since ${unchecked}`, io)}`];
  const isRight = `${provider}: no wrong setting was found without a user`;
  if (problems.length === 0) return [`${style.good(marks.passed)} ${name}  ${printable(isRight, io)}`];
  return problems.map((problem) => `${style.bad(marks.failed)} ${name}  ${printable(problem, io)}`);
}
