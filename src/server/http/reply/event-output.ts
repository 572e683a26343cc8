/** Streams of events that are open on responses: kept alive by comments, and ended when their readers do not read. */
import { TenonError } from '../../../jsonrpc/errors.ts';
import { formatComment, formatEvent } from '../../../transport/sse.ts';
import type { EventSink } from '../message.ts';

export interface EventOutput {
  event(text: string): void;
  end(): void;
  /** Ends the response, not the stream; absent where nobody could come back. */
  pause?(retryMs: number): void;
  /** Tells its reader when to look for a server again; absent where the stream itself can be taken up again. */
  sendRetryHint?(): void;
}

/** What open streams of one endpoint share. */
export interface EventSinks {
  readonly open: Set<EventSink>;
  /** Characters that may wait for one slow reader. */
  readonly maxWaiting: number;
  warn(error: Error): void;
}

/** A stream whose events nobody can ask for again. */
export function openOutput(sink: EventSink, sinks: EventSinks): EventOutput {
  sinks.open.add(sink);
  return {
    event: (data) => writeTo(sink, formatEvent({ data }), sinks),
    end() {
      sinks.open.delete(sink);
      sink.end();
    },
    sendRetryHint: () => sink.write(retryHint),
  };
}

/** How long a reader has to catch up once more waits than may, and how many times that much may wait meanwhile. */
const catchUpMs = 1000;
const burst = 8;

/** Readers that were behind within that time: whether they still are, or have caught up since. */
const watched = new WeakMap<EventSink, 'behind' | 'caught-up'>();

/**
 * Writes to a reader, or lets go of one that is too slow; says whether it was written. A handler may tell much in one go,
 * which no reader can take before the loop had its turn: who is slow shows later.
 */
export function writeTo(sink: EventSink, text: string, sinks: EventSinks): boolean {
  if (!sinks.open.has(sink)) return false;
  const { waiting } = sink;
  const total = waiting + text.length;
  if (total > sinks.maxWaiting && waiting > 0) {
    if (total > sinks.maxWaiting * burst) return letGo(sink, sinks);
    if (!watched.has(sink)) judgeLater(sink, sinks);
  } else if (watched.has(sink)) watched.set(sink, 'caught-up');
  sink.write(text);
  return true;
}

/** Who has caught up in the meantime and fallen behind again has that time once more. */
function judgeLater(sink: EventSink, sinks: EventSinks): void {
  watched.set(sink, 'behind');
  setTimeout(() => {
    const isSlow = watched.get(sink) === 'behind';
    watched.delete(sink);
    if (!sinks.open.has(sink) || sink.waiting <= sinks.maxWaiting) return;
    if (isSlow) letGo(sink, sinks);
    else judgeLater(sink, sinks);
  }, catchUpMs);
}

/** Faults are told once a reader. */
function letGo(sink: EventSink, sinks: EventSinks): false {
  const { maxWaiting } = sinks;
  const { waiting } = sink;
  sinks.open.delete(sink);
  sink.cut();
  sinks.warn(
    new TenonError('queue-full', `${waiting} characters wait for the reader of a stream; it was let go.`, {
      details: { waiting, maxWaiting },
    }),
  );
  return false;
}

const comment = formatComment('');

/** A comment now and then keeps what stands in between from ending a stream that is silent. */
export function keepAlive({ open }: EventSinks): void {
  for (const sink of open) if (sink.waiting === 0) sink.write(comment);
}

export const retryHint = 'retry: 1000\n\n';

/** Who reads a stream that is about to end is told when to look for a server again, as `Retry-After` tells the others. */
export function sendRetryHint({ open }: EventSinks): void {
  for (const sink of open) sink.write(retryHint);
}

export function endAll({ open }: EventSinks): void {
  for (const sink of open) sink.end();
  open.clear();
}
