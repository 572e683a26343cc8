/** The warnings of streams: events and results that did not reach their client. */
import { TenonError } from '../../../../lib/errors/tenon-error.ts';
import type { StreamNote } from './stream-note.ts';
import type { StreamRequests } from './stream-ports.ts';

/** A client that is disconnected for this reason and reconnects for the rest is refused for the same reason. */
export const eventsLost = (): TenonError =>
  new TenonError('store-failed', 'A client missed events of a stream: they are no longer stored.', {
    hint: 'Send less, or raise limits.maxSessionChars or limits.maxMemoryBytes.',
  });

/** The outcome of a call whose client got the error that it is unknown. */
export const resultDropped = (note: StreamNote | undefined): TenonError =>
  new TenonError('outcome-unknown', 'The result of a call was dropped: another node took this one for dead.', {
    hint: 'This process was paused, or did not reach the store, for longer than timeouts.deadNodeMs.',
    details: { requestIds: note?.ids ?? [] },
  });

/** Clients that read the stream where the event was to be sent still get its events. */
export const eventNotStored = (requests: StreamRequests): TenonError =>
  new TenonError(
    'store-failed',
    'An event of a call could not be stored, so its stream cannot be resumed: clients that try get an error.',
    {
      hint: 'Check the store. timeouts.storeMs is also the time for which an event is tried again.',
      details: { requestIds: [requests.ids ?? []].flat() },
    },
  );
