/** The problems of a policy, and the error that lists them. */
import { TenonError } from '../../../lib/errors/tenon-error.ts';
import { maxProblems } from '../limits.ts';

/** One problem of a policy. */
export interface PolicyProblem {
  /** The line, from 1. */
  readonly line: number;
  /** The column, from 1. */
  readonly column: number;
  /** The member, such as `rules[0].allow`. */
  readonly place: string;
  /** What is wrong. */
  readonly message: string;
  /** What to write instead. */
  readonly hint: string;
}

/** One error that lists all problems, in the order of the document. */
export function invalidPolicy(fileName: string, found: readonly PolicyProblem[]): TenonError {
  const sorted = found.toSorted((a, b) => a.line - b.line || a.column - b.column);
  const problems = sorted.slice(0, maxProblems);
  const lines = problems.map(({ line, column, message, hint }) => `${fileName}:${line}:${column}: ${message} ${hint}`);
  const more = sorted.length - problems.length;
  if (more > 0) lines.push(`${more} more problems`);
  const message =
    lines.length === 1 ? (lines[0] as string) : `The policy has ${sorted.length} problems:\n  ${lines.join('\n  ')}`;
  return new TenonError('invalid-policy', message, { details: { problems } });
}
