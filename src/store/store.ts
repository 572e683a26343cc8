/** Where a server keeps what outlives a request, and what several processes of it share. */
import type { Bus } from './bus.ts';
import type { EventLogs } from './event-logs.ts';
import type { SessionRecords } from './session-records.ts';

export interface Store {
  readonly sessions: SessionRecords;
  readonly events: EventLogs;
  readonly bus: Bus;
}
