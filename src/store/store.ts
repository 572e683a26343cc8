/** Where a server stores what outlives a request, and what its processes share. */

import type { EventStore } from './event-store.ts';
import type { MessageBus } from './message-bus.ts';
import type { SessionStore } from './session-store.ts';

export interface Store {
  readonly sessions: SessionStore;
  readonly events: EventStore;
  readonly bus: MessageBus;
}
