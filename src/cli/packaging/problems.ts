/** Collects everything that is wrong with a package, so that it is reported at once. */
import { TenonError } from '../../lib/errors/tenon-error.ts';

export type Report = (problem: string) => void;

/** Throws `invalid-package` with all problems that `read` reports. */
export function withoutProblems<T>(read: (report: Report) => T): T {
  const problems: string[] = [];
  const value = read((problem) => void problems.push(problem));
  if (problems.length > 0) throw invalidPackage(problems);
  return value;
}

export function invalidPackage(problems: readonly string[], hint?: string): TenonError {
  const message = `The server cannot be packaged:\n  ${problems.join('\n  ')}`;
  return new TenonError('invalid-package', message, { ...(hint !== undefined && { hint }), details: { problems } });
}
