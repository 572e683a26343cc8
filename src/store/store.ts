/** Where a server stores what outlives a request, and what its processes share. */

import type { EventLogs } from './event-store.ts';
import type { Bus } from './message-bus.ts';
import type { SessionRecords } from './session-store.ts';

export interface Store {
  readonly sessions: SessionRecords;
  readonly events: EventLogs;
  readonly bus: Bus;
}
