/** Streams of events that are open on responses: kept alive by comments, and ended when their readers do not read. */
import { TenonError } from '../../jsonrpc/errors.ts';
import { formatComment, formatEvent } from '../../transport/sse.ts';
import type { EventSink } from './message.ts';

export interface Outlet {
  event(text: string): void;
  end(): void;
  /** Ends the response, not the stream; absent where nobody could come back. */
  pause?(retryMs: number): void;
}

/** What open streams of one endpoint share. */
export interface Keeper {
  readonly open: Set<EventSink>;
  /** Characters that may wait for one slow reader. */
  readonly maxWaiting: number;
  fault(error: Error): void;
}

/** A stream whose events nobody can ask for again. */
export function openOutlet(sink: EventSink, keeper: Keeper): Outlet {
  keeper.open.add(sink);
  return {
    event: (data) => writeTo(sink, formatEvent({ data }), keeper),
    end() {
      keeper.open.delete(sink);
      sink.end();
    },
  };
}

/** Writes to a reader, or lets go of one that is too slow; says whether it was written. */
export function writeTo(sink: EventSink, text: string, keeper: Keeper): boolean {
  if (sink.waiting + text.length <= keeper.maxWaiting || sink.waiting === 0) {
    sink.write(text);
    return true;
  }
  const { waiting } = sink;
  keeper.open.delete(sink);
  sink.cut();
  keeper.fault(
    new TenonError('queue-full', `${waiting} characters wait for the reader of a stream; it was let go.`, {
      details: { waiting, maxWaiting: keeper.maxWaiting },
    }),
  );
  return false;
}

const comment = formatComment('');

/** A comment now and then keeps what stands in between from ending a stream that is silent. */
export function keepAlive({ open }: Keeper): void {
  for (const sink of open) if (sink.waiting === 0) sink.write(comment);
}

/** Who reads a stream that is about to end is told when to look for a server again, as `Retry-After` tells the others. */
export function hintReturn({ open }: Keeper): void {
  for (const sink of open) sink.write('retry: 1000\n\n');
}
