/** Notices when what comes in is noise without an end: whoever writes it does not speak the protocol, and is not answered for ever. */
import { TenonError } from '../../jsonrpc/errors.ts';

/** Lines in a row that could not be read. */
const maxInRow = 1000;

const unreadable: ReadonlySet<string> = new Set(['not-json', 'invalid-utf8']);

/** Hears every fault; what was right in between shows in the number of lines that have come. */
export function createNoiseLimit(lines: () => number, end: (error: TenonError) => void): (fault: Error) => void {
  let last = 0;
  let inRow = 0;
  return (fault) => {
    if (!(fault instanceof TenonError) || !unreadable.has(fault.code)) return;
    const line = lines();
    inRow = line === last + 1 ? inRow + 1 : 1;
    last = line;
    if (inRow === maxInRow) end(endlessNoise(fault));
  };
}

const endlessNoise = (cause: TenonError): TenonError =>
  new TenonError('not-json', `${maxInRow} lines in a row were no messages; the connection ends.`, {
    hint: 'Whoever writes to standard input has to write one JSON-RPC message a line.',
    cause,
  });
