/** Writes messages to a byte stream: those of one turn of the event loop together, large ones in pieces, with a limit on the queue. */
import type { Writable } from 'node:stream';
import { TenonError } from '../../lib/errors/tenon-error.ts';
import { createLineQueue } from './line-queue.ts';
import { listenToOutput } from './pipe-close.ts';

export interface PipeWriterOptions {
  readonly output: Writable;
  /** Replaces the `write` of the output, if that is guarded. */
  readonly write?: (data: string | Uint8Array, done?: () => void) => boolean;
  /** Characters that may be queued; beyond that the transport closes. */
  readonly maxQueuedChars?: number;
  /** How long the other side may read nothing while more than a quarter of that is queued. */
  readonly stalledMs?: number;
  /** How long the other side may read nothing of the last frames before they are dropped. */
  readonly flushMs?: number;
}

export interface PipeWriterListener {
  /** Called with the number of queued characters. */
  onQueue(size: number): void;
  /** The queue is empty. */
  onDrain(): void;
  /** Nothing more can be written; `error` is absent if the other side has disconnected. */
  onFail(error?: TenonError): void;
}

export interface PipeWriter {
  put(frame: string): void;
  /** Writes now what would be written at the end of this turn of the event loop. */
  flushNow(): void;
  /** Writes the queue for as long as the other side reads, then calls back; with an error if some of it was lost. */
  end(done: (lost?: TenonError) => void): void;
  /** Stops listening to the output. */
  stopListening(): void;
}

/**
 * Characters that wait for the other side if it reads too slowly.
 * @limit StdioLimits.maxQueuedChars
 * @beyond the connection closes
 * @code queue-full
 */
export const defaultMaxQueuedChars = 256 * 1024 * 1024;

/**
 * How long the other side may read nothing while a quarter of that is queued.
 * @limit stdio
 * @beyond the connection closes
 * @code queue-full
 */
const defaultStalledMs = 30_000;

export function createPipeWriter(options: PipeWriterOptions, listener: PipeWriterListener): PipeWriter {
  const { output, maxQueuedChars = defaultMaxQueuedChars, stalledMs = defaultStalledMs, flushMs = 1000 } = options;
  const write = options.write ?? ((data, done) => output.write(data, 'utf8', done));
  const queue = createLineQueue();
  let state: 'clear' | 'flushing-soon' | 'blocked' | 'closed' = 'clear';
  let ending: { done: (lost?: TenonError) => void; timeout: NodeJS.Timeout } | undefined;
  const watch = createStallWatch(stalledMs, {
    isBlocked: () => state === 'blocked',
    onStall: () => queue.size > maxQueuedChars / 4 && fail(stalled(queue.size, stalledMs)),
  });

  function flush(): void {
    // Streams within one process deliver at once, and the reader may send from there.
    state = 'clear';
    for (let piece = queue.next(); piece !== undefined; piece = queue.next()) {
      if (write(piece)) continue;
      state = 'blocked';
      return watch.begin();
    }
    listener.onDrain();
    if (ending !== undefined) write('', () => finish());
  }

  /** Nothing more is written. */
  function fail<E extends TenonError | undefined>(error: E): E {
    state = 'closed';
    queue.clear();
    if (ending === undefined) listener.onFail(error);
    finish(error);
    return error;
  }

  function finish(lost?: TenonError): void {
    state = 'closed';
    watch.end();
    const ended = ending;
    ending = undefined;
    clearTimeout(ended?.timeout);
    ended?.done(lost);
  }

  const flushNow = (): void => {
    if (state === 'flushing-soon') flush();
  };
  const onDrain = (): void => {
    watch.moved();
    ending?.timeout.refresh();
    if (state === 'blocked') flush();
  };
  // An output whose `write` is guarded is this process's own.
  const stopListening = listenToOutput(output, options.write !== undefined, {
    onDrain,
    onClose: (error) => void (state === 'closed' || fail(error)),
  });

  return {
    put(frame) {
      // The transport may stay open without its output.
      if (state === 'closed') return;
      // A single frame is bounded by the limits of messages only.
      if (queue.size > 0 && queue.size + frame.length > maxQueuedChars)
        throw fail(tooSlow(queue.size + frame.length, maxQueuedChars));
      queue.add(frame);
      listener.onQueue(queue.size);
      if (state !== 'clear') return;
      state = 'flushing-soon';
      setImmediate(flushNow);
    },
    flushNow,
    end(done) {
      if (state === 'closed' || output.destroyed) return done();
      ending = { done, timeout: setTimeout(() => finish(unread(flushMs)), flushMs) };
      if (state !== 'blocked') flush();
    },
    stopListening() {
      watch.end();
      stopListening();
    },
  };
}

interface StallWatch {
  /** From now on the output is blocked. */
  begin(): void;
  moved(): void;
  end(): void;
}

/** Calls `onStall` when nothing was read since the last check, while the output is blocked. One timer serves many blocks. */
function createStallWatch(ms: number, output: { isBlocked(): boolean; onStall(): void }): StallWatch {
  let timer: NodeJS.Timeout | undefined;
  let moves = 0;
  function begin(): void {
    if (timer !== undefined) return;
    moves = 0;
    timer = setTimeout(check, ms).unref();
  }
  function check(): void {
    timer = undefined;
    if (!output.isBlocked()) return;
    const isStill = moves === 0;
    begin();
    if (isStill) output.onStall();
  }
  return {
    begin,
    moved() {
      moves++;
    },
    end: () => clearTimeout(timer),
  };
}

const tooSlow = (waiting: number, maxQueuedChars: number): TenonError =>
  new TenonError('queue-full', `${waiting} characters wait to be written, over the limit of ${maxQueuedChars}.`, {
    hint: 'The other side must read what it is sent. The connection was closed.',
    details: { waiting, maxQueuedChars },
  });

const stalled = (waiting: number, stalledMs: number): TenonError =>
  new TenonError('queue-full', `${waiting} characters wait to be written, and none was read for ${stalledMs} ms.`, {
    hint: 'The other side must read what it is sent. The connection was closed.',
    details: { waiting, stalledMs },
  });

const unread = (flushMs: number): TenonError =>
  new TenonError('connection-closed', `The other side did not read the last messages within ${flushMs} ms.`, {
    hint: 'They are lost: the other side must read until the connection closes.',
    details: { flushMs },
  });
