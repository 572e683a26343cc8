/** The store interfaces, for authors of drivers, and the store in memory. */

export { type EventLogLimits, type EventLogs, eventOverhead, type KeptEvent, type KeptEvents } from './event-store.ts';
export type { MaybePromise as Soon } from './maybe-promise.ts';
export { type MemoryStore, type MemoryStoreOptions, memoryStore } from './memory.ts';
export type { Bus } from './message-bus.ts';
export type { RecordFields, SessionRecords } from './session-store.ts';
export type { Store } from './store.ts';
