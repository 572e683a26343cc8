/** What a stream needs of its session, and how it is written and read. */
import type { RequestId } from '../../../../jsonrpc/message.ts';
import type { Revision } from '../../../../protocol/revision.ts';
import type { EventLogLimits, EventStore } from '../../../../store/event-store.ts';
import type { EventSinks } from '../../reply/event-output.ts';
import type { StreamMessage } from '../nodes/node-bus.ts';

/** What streams need of their session. */
export interface StreamPorts {
  /** The key of the session in the store. */
  readonly key: string;
  readonly logs: EventStore;
  readonly sinks: EventSinks;
  /** How many events are stored, and whose share they are. */
  readonly limits: EventLogLimits;
  /** A name that no other stream of the session has, at any endpoint. */
  newName(): string;
  /** Publishes to the other endpoints that hold the session, if there are any. */
  publish(message: StreamMessage): void;
  /** Called when the stream is neither written nor read here any more. */
  forget(stream: { readonly name: string }): void;
  readonly storeFailed: (cause: unknown) => void;
  /** Runs a little later, unless the endpoint has closed by then. */
  later(run: () => void): void;
  /** Runs after some time, even if the endpoint has closed by then. */
  after(ms: number, run: () => void): void;
  /** Milliseconds that never run backwards. */
  now(): number;
  /** For how long an event that could not be stored is tried again. */
  readonly retryForMs: number;
}

/** The requests whose responses are sent on a stream. */
export interface StreamRequests {
  readonly ids: RequestId | readonly RequestId[] | undefined;
  readonly revision: Revision;
}

/** Which endpoint writes a stream: this one, this one for a client of another endpoint, or another one. */
export type StreamWriter = 'here' | 'for-another' | 'elsewhere';

/** The event after which a client reads, the name of its events, and whether the client did not choose that event. */
export type ReadFrom = [last: number | undefined, eventName: string | undefined, isAnywhere: boolean];

/** The limits of events that a client at another endpoint is about to read. */
export const awaited = (limits: EventLogLimits): EventLogLimits => ({ ...limits, isAwaited: true });
