/** A store of sessions and events, which several processes of a server can share. */

import type { ApprovalStore } from './approval-store.ts';
import type { AuthorizationStore } from './authorization-store.ts';
import type { ConsentStore } from './consent-store.ts';
import type { CredentialStore } from './credential-store.ts';
import type { Durability } from './durability.ts';
import type { EventStore } from './event-store.ts';
import type { LimitStore } from './limit-store.ts';
import type { MessageBus } from './message-bus.ts';
import type { NodeStore } from './node-store.ts';
import type { OnceStore } from './once-store.ts';
import type { ResultStore } from './result-store.ts';
import type { SessionStore } from './session-store.ts';
import type { TaskStore } from './task-store.ts';

/** Stores sessions and events, and connects the processes that share it. Pass it as `store` of `serveHttp`. */
export interface Store {
  /** What kind of store it is, for logs and errors: `memory`, `sqlite`, `redis`, or a name of your own. Only a store that no other process can use is called `memory`. */
  readonly name?: string;
  /** What it still has after a failure. Default `unknown`: features that need more refuse it. */
  readonly durability?: Durability;
  /** Session records. */
  readonly sessions: SessionStore;
  /** The events of streams, so that a client can resume one. */
  readonly events: EventStore;
  /** Messages between the processes that share the store. */
  readonly bus: MessageBus;
  /** What may happen once: calls with an idempotency key, calls that continue with a request state, DPoP proofs (`dpop.once` of `protect`). Without it they are remembered by each process. */
  readonly once?: OnceStore;
  /** Rates and slots of a guard, unless its `limits.store` is set. Without it each process counts its own calls. */
  readonly limits?: LimitStore;
  /** Answers of users: pass it as `consentStore` of `createHost`. */
  readonly consents?: ConsentStore;
  /** Tokens of clients: pass it as the store of credentials of `oauth`. */
  readonly credentials?: CredentialStore;
  /** Long results of tools, which a model reads in parts: pass it as `results.store` of `createToolkit`. */
  readonly results?: ResultStore;
  /** Calls that wait for an approval: a guard uses it, unless its `approvals.store` is set. Without it they end with the process. */
  readonly approvals?: ApprovalStore;
  /** Which processes that share the store live. Without it, streams of one that has crashed stay open. */
  readonly nodes?: NodeStore;
  /** Tasks and their journals. Without it, tasks end with their process. */
  readonly tasks?: TaskStore;
  /** Grants, refresh tokens and accounts of an authorization server. */
  readonly authorizations?: AuthorizationStore;
}
