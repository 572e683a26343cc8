/** Checks the options of connect, with the place and a hint. */
import { checkOptions, type Problem, problemsIn, wrong } from '../../lib/options/option-rules.ts';
import type { Fields } from '../../lib/values/is.ts';
import { logLevel } from '../api/connect-rules.ts';
import { connectOptions } from '../api/options.table.ts';

/** All problems of the options of connect; `place` is put before the name of each. */
export const connectProblems = (place: string, options: Readonly<Fields>): Problem[] =>
  problemsIn(place, options, connectOptions);

/** Throws `invalid-argument` before anything is sent. */
export const checkConnectOptions = (options: unknown): void => checkOptions('connect()', options, connectOptions);

/** Throws `invalid-argument` for a level that `logLevel` does not accept either. */
export function checkLogLevel(value: unknown): void {
  if (!logLevel.holds(value)) throw wrong('setLogLevel()', 'level', logLevel.must);
}
