/** Where a server keeps what outlives a request, and what several processes of it share. */

import type { EventLogs } from './event-store.ts';
import type { Bus } from './message-bus.ts';
import type { SessionRecords } from './session-store.ts';

export interface Store {
  readonly sessions: SessionRecords;
  readonly events: EventLogs;
  readonly bus: Bus;
}
