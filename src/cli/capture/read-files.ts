/** Reads the files that commands about captures take. */
import type { ReplayFault } from '../../capture/options.ts';
import { type ReadCapture, readCaptureOf } from '../../capture/read-capture.ts';
import { readTextFile } from '../input/read-file.ts';
import type { Io } from '../io/io.ts';
import { usageError } from '../usage-error.ts';

/** A capture that was cut off is used as far as it goes. */
export async function captureIn(path: string, io: Io): Promise<ReadCapture> {
  const capture = readCaptureOf(path, await readTextFile(path, io, 'Pass a capture, which tenon record writes.'));
  if (!capture.isComplete) io.err(`tenon: ${path} was cut off: it has ${capture.events.length} events.\n`);
  return capture;
}

/** They are as the file has them: `replayServer` checks them. */
export async function faultsIn(path: string, io: Io): Promise<readonly ReplayFault[]> {
  const text = await readTextFile(path, io, faultsHint);
  try {
    return JSON.parse(text) as readonly ReplayFault[];
  } catch (error) {
    throw usageError(`${path} is not JSON: ${(error as Error).message}.`, faultsHint);
  }
}

const faultsHint = 'Write [{ "on": "tools/call", "nth": 1, "do": "cut" }].';
