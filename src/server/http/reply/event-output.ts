/** Responses that are streams of events: comments keep them alive, and slow clients are disconnected. */
import { TenonError } from '../../../lib/errors/tenon-error.ts';
import { formatComment, formatEvent } from '../../../transport/sse.ts';
import type { EventSink } from '../message.ts';

export interface EventOutput {
  event(text: string): void;
  /** Sends the last event, if there is one, and ends the stream. */
  end(last?: string): void;
  /** Ends the response, not the stream; absent if the stream cannot be resumed. */
  pause?(retryMs: number): void;
  /** Sends the client the time to wait before it reconnects; absent if the stream can be resumed. */
  sendRetryHint?(): void;
}

/** The open streams of one endpoint. */
export interface EventSinks {
  readonly open: Set<EventSink>;
  /** Characters that may wait for one slow client. */
  readonly maxQueuedChars: number;
  warn(error: Error): void;
}

/** A stream whose events are not stored. */
export function openOutput(sink: EventSink, sinks: EventSinks): EventOutput {
  sinks.open.add(sink);
  const event = (data: string): void => void writeTo(sink, formatEvent({ data }), sinks);
  return {
    event,
    end(last) {
      if (last !== undefined) event(last);
      sinks.open.delete(sink);
      sink.end();
    },
    sendRetryHint: () => sink.write(retryHint),
  };
}

/** How long a client has to catch up once more than `maxQueuedChars` waits, and how many times that much may wait meanwhile. */
const catchUpMs = 1000;
const burst = 8;

/** Clients that were behind within that time: whether they still are, or have caught up since. */
const watched = new WeakMap<EventSink, 'behind' | 'caught-up'>();

/**
 * Writes to a client, or disconnects a client that is too slow; returns whether it was written. A handler may send much
 * in one task of the event loop, and no client can read it before the next: slowness is checked later.
 */
export function writeTo(sink: EventSink, text: string, sinks: EventSinks): boolean {
  if (!sinks.open.has(sink)) return false;
  const { waiting } = sink;
  const total = waiting + text.length;
  if (total > sinks.maxQueuedChars && waiting > 0) {
    if (total > sinks.maxQueuedChars * burst) return disconnect(sink, sinks);
    if (!watched.has(sink)) checkLater(sink, sinks);
  } else if (watched.has(sink)) watched.set(sink, 'caught-up');
  sink.write(text);
  return true;
}

/** A client that caught up and fell behind again gets the same time once more. */
function checkLater(sink: EventSink, sinks: EventSinks): void {
  watched.set(sink, 'behind');
  setTimeout(() => {
    const isSlow = watched.get(sink) === 'behind';
    watched.delete(sink);
    if (!sinks.open.has(sink) || sink.waiting <= sinks.maxQueuedChars) return;
    if (isSlow) disconnect(sink, sinks);
    else checkLater(sink, sinks);
  }, catchUpMs);
}

/** Warns once for each client. */
function disconnect(sink: EventSink, sinks: EventSinks): false {
  const { maxQueuedChars } = sinks;
  const { waiting } = sink;
  sinks.open.delete(sink);
  sink.cut();
  sinks.warn(
    new TenonError('queue-full', `A client was disconnected: ${waiting} characters of a stream waited for it.`, {
      hint: 'Send less at once, or raise limits.maxQueuedChars.',
      details: { waiting, maxQueuedChars },
    }),
  );
  return false;
}

const comment = formatComment('');

/** Comments keep proxies from closing a silent stream. */
export function keepAlive({ open }: EventSinks): void {
  for (const sink of open) if (sink.waiting === 0) sink.write(comment);
}

export const retryHint = 'retry: 1000\n\n';

/** Sends the clients of streams that are about to end the time to wait before they reconnect, like `Retry-After`. */
export function sendRetryHint({ open }: EventSinks): void {
  for (const sink of open) sink.write(retryHint);
}

export function endAll({ open }: EventSinks): void {
  for (const sink of open) sink.end();
  open.clear();
}
