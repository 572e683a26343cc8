/** The types of a store and its parts, for every entry point whose functions take or return one. */

export type { MessageBus } from './bus/message-bus.ts';
export type { ConsentStore, StoredConsent } from './consents/consent-store.ts';
export type { CredentialStore, StoredCredential } from './credentials/credential-store.ts';
export type { Durability } from './durability.ts';
export type { EventLogLimits, EventStore, LastEvents, StoredEvent, StoredEvents } from './events/event-store.ts';
export type { Lease, LimitAnswer, LimitStore, Slot, TokenBucket, TokenClaim } from './limits/limit-store.ts';
export type { MaybePromise } from './maybe-promise.ts';
export type { NodeStore } from './nodes/node-store.ts';
export type { OnceLimit, OnceRun, OnceState, OnceStore } from './once/once-store.ts';
export type { RecordFields, SessionStore } from './session-store.ts';
export type { Store } from './store.ts';
