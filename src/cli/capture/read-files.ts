/** Reads the files that commands about captures take. */
import { type ReadCapture, readCapture } from '../../capture/read-capture.ts';
import { checkFaults, type ReplayFault } from '../../capture/replay/faults.ts';
import { readTextFile } from '../input/read-file.ts';
import type { Io } from '../io/io.ts';
import { usageError } from '../usage-error.ts';

/** A capture that was cut off is used as far as it goes. */
export async function captureIn(path: string, io: Io): Promise<ReadCapture> {
  const capture = readCapture(await readTextFile(path, io, 'Pass a capture, which tenon record writes.'));
  if (!capture.isComplete) io.err(`tenon: ${path} was cut off: it has ${capture.events.length} events.\n`);
  return capture;
}

export async function faultsIn(path: string, io: Io): Promise<readonly ReplayFault[]> {
  const text = await readTextFile(path, io, faultsHint);
  let faults: unknown;
  try {
    faults = JSON.parse(text);
  } catch (error) {
    throw usageError(`${path} is not JSON: ${(error as Error).message}.`, faultsHint);
  }
  return checkFaults(faults);
}

const faultsHint = 'Write [{ "on": "tools/call", "nth": 1, "do": "cut" }].';
