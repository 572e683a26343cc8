/** Shared use of this process's standard error: its errors are ignored, and streams passed on to it wait while it is full. */
import type { Readable } from 'node:stream';

export interface ErrorOutput {
  /** Passes a chunk of a stream on; the stream pauses while standard error is full. */
  pass(chunk: Buffer, from: Readable): void;
  close(): void;
}

let users = 0;
const paused = new Set<Readable>();

/** Also after an error, since it will not drain then. */
function resumeAll(): void {
  for (const stream of paused) stream.resume();
  paused.clear();
}

/** Until it is closed, an error of standard error does not end this process. */
export function openErrorOutput(): ErrorOutput {
  if (users === 0) process.stderr.on('drain', resumeAll).on('error', resumeAll);
  users++;
  const mine = new Set<Readable>();
  return {
    pass(chunk, from) {
      if (process.stderr.write(chunk)) return;
      mine.add(from);
      paused.add(from);
      from.pause();
    },
    close() {
      for (const stream of mine) paused.delete(stream);
      users--;
      if (users === 0) process.stderr.off('drain', resumeAll).off('error', resumeAll);
    },
  };
}
