/** One end of a conversation: correlates answers with requests, times out, cancels, and counts what it drops. */
import { createDeadlines, type Deadlines } from './deadlines.ts';
import { type ErrorObject, RpcError, standardCodes, TenonError } from './errors.ts';
import { type Arrival, type FrameFault, type FrameOptions, type FrameRules, readFrame, writeFrame } from './frame.ts';
import { createInbox, type Inbox, internalError } from './inbox.ts';
import { completeLimits } from './limits.ts';
import type {
  ErrorMessage,
  Message,
  NotificationMessage,
  RequestId,
  RequestMessage,
  ResultMessage,
} from './message.ts';
import { createOutbox, type Ended, type Outbox, type RequestOptions } from './outbox.ts';

/** What a peer needs of its owner. */
export interface PeerPorts {
  /** Carries one frame to the other side; `message` is what it says, where it is not an answer that was written before. */
  send(frame: string, message?: Message): void;
  /** A request came, in a batch or alone. Its answer goes through `answer` or `refuse`, now or later. */
  request(message: RequestMessage, batch: boolean): void;
  notification(message: NotificationMessage): void;
  /** A request of this side was given up: the place to tell the other side. */
  abandoned?(id: RequestId, method: string, reason: TenonError): void;
  /** What arrived is no valid message, or an error that belongs to no request; or an answer could not leave. */
  fault?(error: TenonError | RpcError): void;
}

export interface PeerOptions extends FrameOptions {
  readonly deadlines?: Deadlines;
  /** Where to count what is dropped, for owners of several peers. */
  readonly counts?: PeerCounts;
  /** Whether the other side may send batches now. */
  readonly batches?: () => boolean;
  /** Whether an error about a request whose id cannot be read has the id null now, or none. */
  readonly nullId?: () => boolean;
  /** Whether noise, which may be a request that got broken, is answered by an error. A client of servers that print leaves it. */
  readonly answersNoise?: boolean;
  /** Requests of this side that may wait for an answer at once. */
  readonly maxPending?: number;
  /** Requests of the other side that may wait for an answer at once. */
  readonly maxInFlight?: number;
}

/** What was dropped quietly, by why. */
export interface PeerCounts {
  /** Answers that came after their request was given up, or for the second time, and news of progress after its end. */
  late: number;
  /** Answers to requests that were never made, and news that belongs to nothing. */
  unknown: number;
  /** Frames and messages that were not valid, and requests whose id was in use: those get no answer. */
  invalid: number;
}

export const noneDropped = (): PeerCounts => ({ late: 0, unknown: 0, invalid: 0 });

export interface Peer {
  /** The owner counts here too what it drops itself. */
  readonly counts: PeerCounts;
  request(method: string, params?: unknown, options?: RequestOptions): Promise<unknown>;
  notify(method: string, params?: unknown): void;
  /**
   * Answers a request of the other side, once: later calls for the same request do nothing. Never throws. Who knows the
   * JSON of the result already passes it along.
   */
  answer(id: RequestId, result: unknown, text?: string): void;
  refuse(id: RequestId, error: ErrorObject): void;
  /** Forgets a request of the other side without an answer, as a cancellation asks for. */
  forget(id: RequestId): void;
  /** Time from here to `resume` counts for no request of this side. Pairs may overlap. */
  pause(): void;
  resume(): void;
  receive(frame: string): void;
  /** Counts, answers and tells what the transport could not even read as text. */
  unreadable(error: TenonError): void;
  /** Gives up all that waits, with `connection-closed`: the other side can be told, since the connection is still there. */
  giveUpAll(): void;
  /** Rejects a request of this side that the transport knows to have no answer. */
  fail(id: RequestId, error: Error): void;
  /** Whether anybody waits for the answer to a request of this side. */
  waits(id: RequestId): boolean;
  /** The requests of this side that wait for their answer and have such a method. */
  waiting(fits: (method: string) => boolean): RequestId[];
  /** Hears of each request of this side whose wait ends, however it does, until somebody else or nobody is to hear of it. */
  watch(ended: Ended | undefined): void;
  /** The time that a request of this side may take begins anew, as long as no more than `totalMs` have passed in all. */
  renew(id: RequestId, totalMs: number): void;
  /** Settles all that waits with `connection-closed`; idempotent. */
  close(reason?: Error): void;
}

export function createPeer(ports: PeerPorts, options: PeerOptions = {}): Peer {
  const { deadlines = createDeadlines(), batches = () => false, maxPending = 10_000, maxInFlight = 10_000 } = options;
  const counts = options.counts ?? noneDropped();
  let state: { is: 'open' } | { is: 'closed'; reason: TenonError } = { is: 'open' };

  const limits = completeLimits(options.limits);
  const rules: FrameRules = { limits, strict: options.strict === true };
  const write = (message: Message, result?: string): string => writeFrame(message, limits, result);
  const send = (message: Message): void => ports.send(write(message), message);
  const outbox: Outbox = createOutbox(maxPending, deadlines, {
    send,
    abandoned: (id, method, reason) => ports.abandoned?.(id, method, reason),
    dropped: (why) => counts[why]++,
  });
  const inbox: Inbox = createInbox(maxInFlight, { write, send: sendAnswer, nullId: options.nullId });

  const desk: Desk = { ports, counts, inbox, outbox, settle, answersNoise: options.answersNoise ?? true };

  /** An answer leaves from wherever the owner happens to be, so what keeps it from leaving is told, not thrown. */
  function sendAnswer(frame: string): void {
    if (state.is === 'closed') return;
    try {
      ports.send(frame);
    } catch (error) {
      ports.fault?.(unsent(error));
    }
  }

  function settle(answer: ResultMessage | ErrorMessage, text?: string): void {
    const problem = inbox.settle(answer, text);
    if (problem !== undefined) ports.fault?.(problem);
  }

  /** What closes the connection can stand in the midst of a batch. */
  function arrive(arrival: Arrival, batch: boolean): void {
    if (state.is === 'open') deliver(arrival, desk, batch);
  }

  return {
    counts,
    request: (method, params, own = {}) =>
      state.is === 'closed' ? Promise.reject(unsentBecause(state.reason)) : outbox.request(method, params, own),
    notify(method, params) {
      if (state.is === 'closed') throw state.reason;
      send(params === undefined ? { jsonrpc: '2.0', method } : { jsonrpc: '2.0', method, params });
    },
    answer: (id, result, text) => settle({ jsonrpc: '2.0', id, result }, text),
    refuse: (id, error) => settle({ jsonrpc: '2.0', id, error }),
    forget: (id) => inbox.forget(id),
    pause: outbox.pause,
    resume: outbox.resume,
    receive(text) {
      if (state.is === 'closed') return;
      const frame = readFrame(text, rules);
      if (frame.kind !== 'batch') arrive(frame, false);
      else if (batches()) inbox.together(() => frame.arrivals.forEach((arrival) => arrive(arrival, true)));
      else arrive(batchRefused(frame.arrivals), false);
    },
    unreadable: (error) => arrive(noise(error), false),
    fail: outbox.fail,
    waits: outbox.waits,
    waiting: outbox.waiting,
    watch: outbox.watch,
    renew: outbox.renew,
    giveUpAll() {
      if (state.is === 'open') outbox.giveUpAll(closed(undefined));
    },
    close(reason) {
      if (state.is === 'closed') return;
      state = { is: 'closed', reason: closed(reason) };
      inbox.close();
      outbox.close(state.reason);
    },
  };
}

/** Where what arrives is handed on. */
interface Desk {
  readonly ports: PeerPorts;
  readonly counts: PeerCounts;
  readonly inbox: Inbox;
  readonly outbox: Outbox;
  readonly answersNoise: boolean;
  settle(answer: ErrorMessage): void;
}

function deliver(arrival: Arrival, desk: Desk, batch: boolean): void {
  const { ports, outbox } = desk;
  switch (arrival.kind) {
    case 'request':
      return deliverRequest(arrival.message, desk, batch);
    case 'notification':
      return deliverNotification(arrival.message, ports);
    case 'result':
      return outbox.resolve(arrival.message.id, arrival.message.result);
    case 'error':
      return deliverError(arrival.message, desk);
    case 'fault':
      return deliverFault(arrival, desk);
  }
}

/** What ended the wait of a request was its answer: a reply to that id would be an answer to an answer. */
function deliverFault(
  { error, reply, answered }: FrameFault,
  { ports, counts, inbox, outbox, answersNoise }: Desk,
): void {
  counts.invalid++;
  const ended = answered.filter((id) => outbox.spoil(id, error));
  const owed = reply?.id === undefined ? answersNoise : !ended.includes(reply.id);
  if (reply !== undefined && owed) inbox.reply(reply.id, reply.error);
  ports.fault?.(error);
}

function deliverRequest(message: RequestMessage, { ports, counts, inbox, settle }: Desk, batch: boolean): void {
  const refusal = inbox.admit(message.id);
  if (refusal !== undefined) {
    counts.invalid++;
    return ports.fault?.(refusal);
  }
  try {
    ports.request(message, batch);
  } catch (cause) {
    settle({ jsonrpc: '2.0', id: message.id, error: internalError });
    tellThrown(ports, 'request', cause);
  }
}

/** An owner that throws spoils neither the rest of a batch nor the wait of a request for its answer. */
function deliverNotification(message: NotificationMessage, ports: PeerPorts): void {
  try {
    ports.notification(message);
  } catch (cause) {
    tellThrown(ports, 'notification', cause);
  }
}

function tellThrown(ports: PeerPorts, told: string, cause: unknown): void {
  ports.fault?.(new TenonError('listener-failed', `What was told of a ${told} threw.`, { cause }));
}

function deliverError({ id, error }: ErrorMessage, { ports, outbox }: Desk): void {
  const failure = RpcError.answered(error);
  if (id === undefined || id === null) ports.fault?.(failure);
  else outbox.reject(id, failure);
}

const noise = (error: TenonError): FrameFault => ({
  kind: 'fault',
  error,
  reply: { id: undefined, error: { code: standardCodes['parse-error'], message: error.message } },
  answered: [],
});

const batchRefused = (arrivals: readonly Arrival[]): FrameFault => ({
  kind: 'fault',
  error: new TenonError('invalid-message', 'A batch came, and this connection has none.'),
  reply: {
    id: undefined,
    error: { code: standardCodes['invalid-request'], message: 'Batches are not supported here' },
  },
  answered: arrivals.flatMap(answeredBy),
});

function answeredBy(arrival: Arrival): readonly RequestId[] {
  if (arrival.kind === 'fault') return arrival.answered;
  return arrival.kind === 'result' || arrival.kind === 'error' ? [arrival.message.id ?? []].flat() : [];
}

const unsent = (error: unknown): TenonError =>
  error instanceof TenonError ? error : new TenonError('invalid-outgoing', 'An answer was not sent.', { cause: error });

/** Of a request that never left it is certain that nobody carried it out. */
const unsentBecause = ({ message, cause }: TenonError): TenonError =>
  new TenonError('connection-closed', message, { details: { sent: false }, ...(cause !== undefined && { cause }) });

/** What ended the connection is what a caller has to read, so it stands in the message too. */
const closed = (cause: unknown): TenonError =>
  cause === undefined
    ? new TenonError('connection-closed', 'The connection is closed.')
    : new TenonError('connection-closed', `The connection is closed: ${messageOf(cause)}`, { cause });

const messageOf = (cause: unknown): string => (cause instanceof Error ? cause.message : String(cause));
