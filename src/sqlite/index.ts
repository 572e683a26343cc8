/** A store in a SQLite file, for one machine. */

export type { StoredConsentsOptions, StoredCredentialsOptions } from '../driver/credentials/options.ts';
export type { EncryptionOptions } from '../driver/encryption/options.ts';
export type { SharedStoreOptions } from '../driver/options.ts';
export type { MessageBus } from '../store/bus/message-bus.ts';
export type { ConsentStore, StoredConsent } from '../store/consents/consent-store.ts';
export type { CredentialStore, StoredCredential } from '../store/credentials/credential-store.ts';
export type { EventLogLimits, EventStore, LastEvents, StoredEvent, StoredEvents } from '../store/events/event-store.ts';
export type { Lease, LimitAnswer, LimitStore, Slot, TokenBucket, TokenClaim } from '../store/limits/limit-store.ts';
export type { MaybePromise } from '../store/maybe-promise.ts';
export type { NodeStore } from '../store/nodes/node-store.ts';
export type { OnceLimit, OnceRun, OnceState, OnceStore } from '../store/once/once-store.ts';
export type { RecordFields, SessionStore } from '../store/session-store.ts';
export type { Store } from '../store/store.ts';
export { openSqliteStore, type SqliteStore, type SqliteStoreOptions } from './open.ts';
