/** The store interfaces, for authors of drivers, and the store in memory. */

export type { MaybePromise } from '../lib/values/maybe-promise.ts';
export type {
  ApprovalChange,
  ApprovalCreation,
  ApprovalRoom,
  ApprovalStore,
  NewApproval,
  StoredApproval,
} from './approval-store.ts';
export type { AuthorizationRow, AuthorizationStore, NewAuthorizationRow } from './authorization-store.ts';
export type { ConsentStore, StoredConsent } from './consent-store.ts';
export type { CredentialStore, StoredCredential } from './credential-store.ts';
export type {
  AppendOp,
  DeleteOp,
  DueEntry,
  EntriesOp,
  FailedRun,
  FailedWhy,
  GetOp,
  GroupChars,
  GroupMember,
  ListOp,
  Log,
  LogShare,
  LogsOp,
  NewEntry,
  Op,
  OpResult,
  PublishOp,
  PutOp,
  Ran,
  Row,
  StoreDriver,
  Sync,
  Taken,
  TakeRequest,
  TokensOp,
  TrimOp,
  TrimStep,
  When,
} from './driver.ts';
export { looseLogMs, maxOps, roundingMs } from './driver.ts';
export type { Durability } from './durability.ts';
export type { EventLogLimits, EventStore, LastEvents, StoredEvent, StoredEvents } from './event-store.ts';
export type { Lease, LimitAnswer, LimitStore, Slot, TokenBucket, TokenClaim } from './limit-store.ts';
export { createMemoryStore, createStore, type MemoryStore, type MemoryStoreOptions } from './memory.ts';
export type { MessageBus } from './message-bus.ts';
export type { NodeStore } from './node-store.ts';
export type { OnceLimit, OnceRun, OnceState, OnceStore } from './once-store.ts';
export type { WholeStore } from './parts/parts.ts';
export type { ResultRoom, ResultStore } from './result-store.ts';
export type { RecordFields, SessionStore } from './session-store.ts';
export type { Store } from './store.ts';
export type {
  JournalRoom,
  NewTask,
  StoredTask,
  TakenTask,
  TaskChange,
  TaskCreation,
  TaskHint,
  TaskKey,
  TaskPage,
  TaskRoom,
  TaskStore,
} from './task-store.ts';
