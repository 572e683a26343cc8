/** A pair of channels in one process, joined by two queues of text. */

import { TenonError } from '../jsonrpc/errors.ts';
import { deliverClosed, deliverFrame, type Transport, type TransportListener } from './channel.ts';

/** The options of `createMemoryTransports`. */
export interface MemoryTransportOptions {
  /** Frames that may wait in one direction. Default 65 536. */
  maxFrames?: number;
  /** Characters that may wait in one direction. Default 64 Mi. */
  maxCharacters?: number;
}

/** Two channels; what one sends the other hears, in order, in a later microtask. */
export function createMemoryTransports(options: MemoryTransportOptions = {}): [Transport, Transport] {
  const { maxFrames = 65_536, maxCharacters = 64 * 1024 * 1024 } = options;
  const there = createLane({ maxFrames, maxCharacters });
  const back = createLane({ maxFrames, maxCharacters });
  return [createChannel(back, there), createChannel(there, back)];
}

interface LaneReader {
  frame(text: string): void;
  ended(reason?: Error): void;
}

/** One direction. */
interface Lane {
  /** Throws `queue-full` for a frame that finds no room. */
  put(frame: string): void;
  /** Lets the reader hear the end after what waits, with what broke the lane if something did. */
  end(reason?: Error): void;
  read(reader: LaneReader): void;
  /** Forgets what waits and whatever is put later: nobody reads any more. */
  abandon(): void;
}

type LaneState = { at: 'waiting' } | { at: 'flowing'; reader: LaneReader } | { at: 'abandoned' };

/** Stands in the queue behind the last frame. */
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
    if (frames >= limits.maxFrames || characters + frame.length > limits.maxCharacters) {
      throw queueFull(frames, characters, limits);
    }
    frames += 1;
    characters += frame.length;
    enqueue(frame);
  }

  /** An empty queue means that no microtask is under way: the first entry of a burst asks for it. */
  function enqueue(entry: string | End): void {
    if (queue.push(entry) === 1 && state.at === 'flowing') queueMicrotask(drain);
  }

  function read(reader: LaneReader): void {
    state = { at: 'flowing', reader };
    if (queue.length > 0) queueMicrotask(drain);
  }

  /** What is put while this runs lands in a fresh queue, so the other direction has its turn in between. */
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

function createChannel(inbound: Lane, outbound: Lane): Transport {
  let side: Side = { at: 'idle' };

  /** Leaves for good and says who was listening until now. */
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
        // Somebody may wait for what found no room: both sides have to hear that it will not come.
        close(error as TenonError, error as TenonError);
        throw error;
      }
    },
    close: (reason) => close(reason),
  };
}

const closed = (attempt: string): TenonError =>
  new TenonError('connection-closed', `Cannot ${attempt} a memory channel that is closed.`, {
    hint: 'Make a new pair with memoryChannels().',
  });

const alreadyOpen = (): TenonError =>
  new TenonError('already-open', 'This memory channel has a listener already.', {
    hint: 'Open each end of a pair once.',
  });

function queueFull(frames: number, characters: number, limits: Required<MemoryTransportOptions>): TenonError {
  const waiting = `${frames} frames of ${characters} characters wait in a memory channel`;
  return new TenonError('queue-full', `${waiting}; no more fit, and the connection ends.`, {
    hint: 'Wait for answers before sending more, or raise maxFrames or maxCharacters.',
    details: { frames, characters, ...limits },
  });
}
