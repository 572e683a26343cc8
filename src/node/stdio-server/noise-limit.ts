/** Closes a connection after too many unreadable lines in a row: the other side does not speak the protocol. */
import { TenonError } from '../../lib/errors/tenon-error.ts';

/** Unreadable lines in a row. */
const maxInRow = 1000;

const unreadable: ReadonlySet<string> = new Set(['invalid-json', 'invalid-utf8']);

/** Returns a function to call with every warning. Valid lines in between show in the number of lines. */
export function createNoiseLimit(lines: () => number, close: (error: TenonError) => void): (warning: Error) => void {
  let last = 0;
  let inRow = 0;
  return (warning) => {
    if (!(warning instanceof TenonError) || !unreadable.has(warning.code)) return;
    const line = lines();
    inRow = line === last + 1 ? inRow + 1 : 1;
    last = line;
    if (inRow === maxInRow) close(endlessNoise(warning));
  };
}

const endlessNoise = (cause: TenonError): TenonError =>
  new TenonError('invalid-json', `${maxInRow} lines in a row were not JSON-RPC messages; the connection was closed.`, {
    hint: 'Write one JSON-RPC message per line to standard input.',
    cause,
  });
