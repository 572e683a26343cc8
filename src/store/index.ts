/** The store contracts, for whoever writes a driver, and the store in memory. */
export type { Bus } from './bus.ts';
export { type EventLogLimits, type EventLogs, eventOverhead, type KeptEvent, type KeptEvents } from './event-logs.ts';
export { type MemoryStore, type MemoryStoreOptions, memoryStore } from './memory.ts';
export type { RecordFields, SessionRecords } from './session-records.ts';
export type { Soon } from './soon.ts';
export type { Store } from './store.ts';
