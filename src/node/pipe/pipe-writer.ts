/** What leaves by a byte stream: all of one turn of the loop together, large texts in pieces, and a bound on what waits. */
import type { Writable } from 'node:stream';
import { TenonError } from '../../jsonrpc/errors.ts';
import { createLineQueue } from './line-queue.ts';
import { listenToOutput } from './pipe-close.ts';

export interface PipeWriterOptions {
  readonly output: Writable;
  /** Writes to the output where its own `write` belongs to somebody else. */
  readonly write?: (data: string | Uint8Array, done?: () => void) => boolean;
  /** Characters that may wait to be written; where more would wait, the channel ends. */
  readonly maxWaiting?: number;
  /** For how long the other side may take nothing while more than a quarter of that waits. */
  readonly stalledMs?: number;
  /** For how long the other side may take nothing of the last that is sent. */
  readonly flushMs?: number;
}

export interface PipeWriterListener {
  /** So many characters wait. */
  onQueue(size: number): void;
  /** Nothing waits any more. */
  onDrain(): void;
  /** Nothing more can be written; why is absent where the other side has left. */
  onFail(error?: TenonError): void;
}

export interface PipeWriter {
  put(frame: string): void;
  /** Writes what would leave with this turn of the loop. */
  flushNow(): void;
  /** Writes what waits, for as long as the other side takes of it; then says so, with what is wrong if that was not all. */
  end(done: (lost?: TenonError) => void): void;
  /** Stops listening to the output. */
  stopListening(): void;
}

export const defaultMaxWaiting: number = 256 * 1024 * 1024;

export function createPipeWriter(options: PipeWriterOptions, ports: PipeWriterListener): PipeWriter {
  const { output, maxWaiting = defaultMaxWaiting, stalledMs = 30_000, flushMs = 1000 } = options;
  const write = options.write ?? ((data, done) => output.write(data, 'utf8', done));
  const queue = createLineQueue();
  let state: 'clear' | 'flushing-soon' | 'blocked' | 'gone' = 'clear';
  let ending: { done: (lost?: TenonError) => void; bound: NodeJS.Timeout } | undefined;
  const watch = createStallWatch(stalledMs, {
    isWaiting: () => state === 'blocked',
    stalled: () => queue.size > maxWaiting / 4 && fail(stalled(queue.size, stalledMs)),
  });

  function flush(): void {
    // Streams in one process hand on at once what is written, and whoever hears it may send from there.
    state = 'clear';
    for (let piece = queue.next(); piece !== undefined; piece = queue.next()) {
      if (write(piece)) continue;
      state = 'blocked';
      return watch.begin();
    }
    ports.onDrain();
    if (ending !== undefined) write('', () => finish());
  }

  /** Nothing more is written. */
  function fail<E extends TenonError | undefined>(error: E): E {
    state = 'gone';
    queue.clear();
    if (ending === undefined) ports.onFail(error);
    finish(error);
    return error;
  }

  function finish(lost?: TenonError): void {
    state = 'gone';
    watch.end();
    const over = ending;
    ending = undefined;
    clearTimeout(over?.bound);
    over?.done(lost);
  }

  const flushNow = (): void => {
    if (state === 'flushing-soon') flush();
  };
  const drained = (): void => {
    watch.moved();
    ending?.bound.refresh();
    if (state === 'blocked') flush();
  };
  // An output whose `write` is guarded is this process's own.
  const letGo = listenToOutput(output, options.write !== undefined, {
    onDrain: drained,
    onClose: (error) => void (state === 'gone' || fail(error)),
  });

  return {
    put(frame) {
      // Where the channel stays open without its output, what is sent has nowhere to go.
      if (state === 'gone') return;
      // A frame by itself is as large as the limits of messages let it be.
      if (queue.size > 0 && queue.size + frame.length > maxWaiting)
        throw fail(tooSlow(queue.size + frame.length, maxWaiting));
      queue.add(frame);
      ports.onQueue(queue.size);
      if (state !== 'clear') return;
      state = 'flushing-soon';
      setImmediate(flushNow);
    },
    flushNow,
    end(done) {
      if (state === 'gone' || output.destroyed) return done();
      ending = { done, bound: setTimeout(() => finish(unread(flushMs)), flushMs) };
      if (state !== 'blocked') flush();
    },
    stopListening() {
      watch.end();
      letGo();
    },
  };
}

interface StallWatch {
  /** From now on something waits. */
  begin(): void;
  moved(): void;
  end(): void;
}

/** Says when nothing has moved since the last look, for as long as something waits. One timer does for many waits. */
function createStallWatch(ms: number, ports: { isWaiting(): boolean; stalled(): void }): StallWatch {
  let timer: NodeJS.Timeout | undefined;
  let moves = 0;
  function begin(): void {
    if (timer !== undefined) return;
    moves = 0;
    timer = setTimeout(look, ms).unref();
  }
  function look(): void {
    timer = undefined;
    if (!ports.isWaiting()) return;
    const isStill = moves === 0;
    begin();
    if (isStill) ports.stalled();
  }
  return {
    begin,
    moved() {
      moves++;
    },
    end: () => clearTimeout(timer),
  };
}

const tooSlow = (waiting: number, maxWaiting: number): TenonError =>
  new TenonError('queue-full', `${waiting} characters wait to be written, over the limit of ${maxWaiting}.`, {
    hint: 'The other side has to read; the connection ends.',
    details: { waiting, maxWaiting },
  });

const stalled = (waiting: number, stalledMs: number): TenonError =>
  new TenonError('queue-full', `${waiting} characters wait to be written, and none was read for ${stalledMs} ms.`, {
    hint: 'The other side has to read; the connection ends.',
    details: { waiting, stalledMs },
  });

const unread = (flushMs: number): TenonError =>
  new TenonError('connection-closed', `The other side did not read the last that was sent to it for ${flushMs} ms.`, {
    hint: 'It has to read until the end, or the rest is lost.',
    details: { flushMs },
  });
