/** Where a server stores what outlives a request, and what its processes share. */

import type { EventStore } from './event-store.ts';
import type { MessageBus } from './message-bus.ts';
import type { SessionStore } from './session-store.ts';

export interface Store {
  /** Session records. */
  readonly sessions: SessionStore;
  /** The events of streams, so that a client can resume one. */
  readonly events: EventStore;
  /** Messages between the processes that share the store. */
  readonly bus: MessageBus;
}
