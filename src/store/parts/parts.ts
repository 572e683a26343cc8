/** The parts of a store, all on one engine. */
import { mapped } from '../../lib/values/maybe-promise.ts';
import type { ApprovalStore } from '../approval-store.ts';
import type { AuthorizationStore } from '../authorization-store.ts';
import type { Codec } from '../codec.ts';
import type { ConsentStore } from '../consent-store.ts';
import type { CredentialStore } from '../credential-store.ts';
import type { StoreDriver } from '../driver.ts';
import type { Durability } from '../durability.ts';
import type { LimitStore } from '../limit-store.ts';
import type { NodeStore } from '../node-store.ts';
import type { OnceStore } from '../once-store.ts';
import type { ResultStore } from '../result-store.ts';
import type { Store } from '../store.ts';
import type { TaskStore } from '../task-store.ts';
import { approvalsOn } from './approvals.ts';
import { authorizationsOn } from './authorizations.ts';
import { busOn } from './bus.ts';
import { consentsOn } from './consents.ts';
import { type CredentialLimits, credentialsOn } from './credentials.ts';
import { eventsOn } from './events.ts';
import { limitsOn } from './limits.ts';
import { type OnceLimits, onceOn } from './once.ts';
import { resultsOn } from './results.ts';
import { anyVersion, rowsIn } from './runs.ts';
import { sessionsOn } from './sessions.ts';
import { tasksOn } from './tasks.ts';

/** A store that has every part. */
export interface WholeStore extends Store {
  readonly name: string;
  readonly durability: Durability;
  /** Keys that may be used once. */
  readonly once: OnceStore;
  /** Rates and slots: pass it as `limits.store` of `guard`. */
  readonly limits: LimitStore;
  /** Answers of users: pass it as `consentStore` of `createHost`. */
  readonly consents: ConsentStore;
  /** Tokens of clients: pass it as the store of credentials. */
  readonly credentials: CredentialStore;
  /** Long results of tools: pass it as `results.store` of `createToolkit`. */
  readonly results: ResultStore;
  /** Calls that wait for an approval: pass it as `approvals.store` of `guard`. */
  readonly approvals: ApprovalStore;
  /** Which nodes live. */
  readonly nodes: NodeStore;
  /** Tasks and their journals. */
  readonly tasks: TaskStore;
  /** Grants, refresh tokens and accounts: an authorization server uses it. */
  readonly authorizations: AuthorizationStore;
}

/** How much a store holds. */
export interface StoreLimits {
  readonly once: OnceLimits;
  readonly credentials: CredentialLimits;
  readonly maxConsents: number;
  readonly maxSlots: number;
  /** Rows of an authorization server, of each kind. */
  readonly maxAuthorizations: number;
}

export interface StoreSettings {
  readonly codec: Codec;
  readonly limits: StoreLimits;
  /** The clock of this process, in milliseconds since the Unix epoch: callers pass some times by it. */
  readonly now: () => number;
  /** Called with what fails in the background. */
  readonly onError: (cause: unknown) => void;
}

export const storeOn = (driver: StoreDriver, { codec, limits, now, onError }: StoreSettings): WholeStore => ({
  name: driver.name,
  get durability() {
    return driver.durability;
  },
  sessions: sessionsOn(driver, codec, now, onError),
  events: eventsOn(driver, codec),
  bus: busOn(driver, codec, onError),
  once: onceOn(driver, codec, limits.once, now),
  limits: limitsOn(driver, codec, limits.maxSlots),
  consents: consentsOn(driver, codec, limits.maxConsents, now),
  credentials: credentialsOn(driver, codec, limits.credentials),
  results: resultsOn(driver, codec),
  approvals: approvalsOn(driver, codec),
  nodes: nodesOn(driver),
  tasks: tasksOn(driver, codec),
  authorizations: authorizationsOn(driver, codec, limits.maxAuthorizations),
});

/**
 * Nodes that share a store.
 * @limit HTTP
 * @beyond the others do not count as living
 */
const maxNodes = 10_000;

/** Which nodes live: a row each, which expires. */
const nodesOn = (driver: StoreDriver): NodeStore => ({
  beat: (node, ttlMs) =>
    mapped(
      driver.run('nodes', [
        { op: 'put', key: node, version: anyVersion, expiresInMs: ttlMs, groups: [{ name: 'all' }] },
        { op: 'list', group: 'all', max: maxNodes },
      ]),
      (ran) => (ran.failed === undefined ? rowsIn(ran.results[1]).map(({ key }) => key) : []),
    ),
  leave: (node) => mapped(driver.run('nodes', [{ op: 'delete', key: node }]), () => undefined),
});
