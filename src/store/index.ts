/** The store interfaces, for authors of drivers, and the store in memory. */

export type { MaybePromise } from '../lib/values/maybe-promise.ts';
export type { ConsentStore, StoredConsent } from './consents/consent-store.ts';
export { type MemoryConsentsOptions, memoryConsents } from './consents/stored-consents.ts';
export type { CredentialStore, StoredCredential } from './credentials/credential-store.ts';
export { type MemoryCredentialsOptions, memoryCredentials } from './credentials/memory.ts';
export type { Durability } from './durability.ts';
export {
  type EventLogLimits,
  type EventStore,
  eventOverhead,
  type LastEvents,
  type StoredEvent,
  type StoredEvents,
} from './events/event-store.ts';
export type { Lease, LimitAnswer, LimitStore, Slot, TokenBucket, TokenClaim } from './limits/limit-store.ts';
export { createMemoryLimits, type MemoryLimits, type MemoryLimitsOptions } from './limits/memory-limits.ts';
export { createMemoryStore, type MemoryStore, type MemoryStoreOptions } from './memory.ts';
export type { MessageBus } from './nodes/message-bus.ts';
export type { NodeStore } from './nodes/node-store.ts';
export { createMemoryOnce, type MemoryOnce, type MemoryOnceOptions } from './once/memory-once.ts';
export type { OnceRun, OnceState, OnceStore } from './once/once-store.ts';
export type { RecordFields, SessionStore } from './session-store.ts';
export type { Store } from './store.ts';
export { createMemoryTasks, type MemoryTasks } from './tasks/memory-tasks.ts';
export { newTaskId, taskShardOf, taskShards } from './tasks/task-id.ts';
export type {
  NewTask,
  StoredTask,
  TaskChange,
  TaskCreation,
  TaskKey,
  TaskPage,
  TaskStore,
} from './tasks/task-store.ts';
