/** A pair of transports in one process, joined by two queues of messages. */

import { TenonError } from '../lib/errors/tenon-error.ts';
import { deliverClosed, deliverFrame, type Transport, type TransportListener } from './transport.ts';

/**
 * The options of `createMemoryTransports`. A table would make this entry point twice as large.
 * @area messages
 * @of `createMemoryTransports`
 * @noTable
 */
export interface MemoryTransportOptions {
  /**
   * Messages that may wait in one direction.
   * @default 65,536
   * @beyond the transport closes
   * @code queue-full
   */
  maxMessages?: number;
  /**
   * Characters that may wait in one direction.
   * @default 64 Mi
   * @beyond the transport closes
   * @code queue-full
   */
  maxChars?: number;
}

/** Makes two transports. Each receives what the other sends, in order, in a later microtask. */
export function createMemoryTransports(options: MemoryTransportOptions = {}): [Transport, Transport] {
  const { maxMessages = 65_536, maxChars = 64 * 1024 * 1024 } = options;
  const there = createLane({ maxMessages, maxChars });
  const back = createLane({ maxMessages, maxChars });
  return [createTransport(back, there), createTransport(there, back)];
}

interface LaneReader {
  frame(text: string): void;
  ended(reason?: Error): void;
}

/** One direction. */
interface Lane {
  /** Throws `queue-full` where the queue has no room. */
  put(frame: string): void;
  /** Closes the direction after what is queued, with the error that broke it if there is one. */
  end(reason?: Error): void;
  read(reader: LaneReader): void;
  /** Drops what is queued and whatever is put later: the reader has closed. */
  abandon(): void;
}

type LaneState = { at: 'waiting' } | { at: 'flowing'; reader: LaneReader } | { at: 'abandoned' };

/** The last entry of a queue. */
interface End {
  readonly reason: Error | undefined;
}

function createLane(limits: Required<MemoryTransportOptions>): Lane {
  let state: LaneState = { at: 'waiting' };
  let queue: (string | End)[] = [];
  let frames = 0;
  let characters = 0;

  function put(frame: string): void {
    if (state.at === 'abandoned') return;
    if (frames >= limits.maxMessages || characters + frame.length > limits.maxChars) {
      throw queueFull(frames, characters, limits);
    }
    frames += 1;
    characters += frame.length;
    enqueue(frame);
  }

  /** An empty queue means that no microtask is scheduled: the first entry of a burst schedules it. */
  function enqueue(entry: string | End): void {
    if (queue.push(entry) === 1 && state.at === 'flowing') queueMicrotask(drain);
  }

  function read(reader: LaneReader): void {
    state = { at: 'flowing', reader };
    if (queue.length > 0) queueMicrotask(drain);
  }

  /** Messages sent while this runs go into a new queue, so that the two directions alternate. */
  function drain(): void {
    const burst = queue;
    queue = [];
    for (const entry of burst) {
      if (state.at !== 'flowing') return;
      if (typeof entry !== 'string') return state.reader.ended(entry.reason);
      frames -= 1;
      characters -= entry.length;
      state.reader.frame(entry);
    }
  }

  function abandon(): void {
    state = { at: 'abandoned' };
    queue = [];
  }

  return { put, end: (reason) => enqueue({ reason }), read, abandon };
}

type Side = { at: 'idle' } | { at: 'open'; listener: TransportListener } | { at: 'closed' };

function createTransport(inbound: Lane, outbound: Lane): Transport {
  let side: Side = { at: 'idle' };

  /** Closes this side and returns the listener it had. */
  function leave(): TransportListener | undefined {
    const listener = side.at === 'open' ? side.listener : undefined;
    side = { at: 'closed' };
    inbound.abandon();
    return listener;
  }

  function close(reason: Error | undefined, broken?: TenonError): void {
    if (side.at === 'closed') return;
    const listener = leave();
    outbound.end(broken);
    if (listener !== undefined) queueMicrotask(() => deliverClosed(listener, reason));
  }

  return {
    get state() {
      return side.at;
    },
    open(listener) {
      if (side.at === 'closed') throw closed('open');
      if (side.at === 'open') throw alreadyOpen();
      side = { at: 'open', listener };
      inbound.read({
        frame: (text) => deliverFrame(listener, text),
        ended: (reason) => {
          leave();
          deliverClosed(listener, reason);
        },
      });
    },
    send(frame) {
      if (side.at === 'closed') throw closed('send on');
      try {
        outbound.put(frame);
      } catch (error) {
        // A caller may wait for the dropped message. Both sides close, so that its request fails now.
        close(error as TenonError, error as TenonError);
        throw error;
      }
    },
    close: (reason) => close(reason),
  };
}

const closed = (attempt: string): TenonError =>
  new TenonError('connection-closed', `Cannot ${attempt} a memory transport that is closed.`, {
    hint: 'Make a new pair with createMemoryTransports().',
  });

const alreadyOpen = (): TenonError =>
  new TenonError('already-open', 'This memory transport is open already.', {
    hint: 'Open each transport of a pair once.',
  });

function queueFull(frames: number, characters: number, limits: Required<MemoryTransportOptions>): TenonError {
  const waiting = `${frames} messages of ${characters} characters are queued in a memory transport`;
  return new TenonError('queue-full', `${waiting}, which is the limit. The connection is closed.`, {
    hint: 'Wait for answers before sending more, or raise maxMessages or maxChars.',
    details: { frames, characters, ...limits },
  });
}
