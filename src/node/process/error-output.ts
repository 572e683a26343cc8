/** This process's standard error, as one user among several: outlived where nobody reads it any more, held to its pace. */
import type { Readable } from 'node:stream';

export interface ErrorOutput {
  /** Passes on what a stream gave; the stream waits while standard error is full. */
  pass(chunk: Buffer, from: Readable): void;
  close(): void;
}

let users = 0;
const held = new Set<Readable>();

/** Also after an error, since nothing will drain then. */
function goOn(): void {
  for (const stream of held) stream.resume();
  held.clear();
}

/** Until it is closed, no error of standard error ends this process. */
export function openErrorOutput(): ErrorOutput {
  if (users === 0) process.stderr.on('drain', goOn).on('error', goOn);
  users++;
  const mine = new Set<Readable>();
  return {
    pass(chunk, from) {
      if (process.stderr.write(chunk)) return;
      mine.add(from);
      held.add(from);
      from.pause();
    },
    close() {
      for (const stream of mine) held.delete(stream);
      users--;
      if (users === 0) process.stderr.off('drain', goOn).off('error', goOn);
    },
  };
}
