/** The options of createHost(). */
import type { ConnectOptions, LogEntry } from '../client/api/options.ts';
import type { TenonError } from '../lib/errors/tenon-error.ts';
import type { CallApprovals } from '../ports/call-approvals.ts';
import type { Lock } from '../ports/lock.ts';
import type { PrincipalDetails } from '../ports/principal.ts';
import type { Implementation } from '../protocol/generated/types/records.ts';
import type { ConsentStore } from '../store/consent-store.ts';
import type { HostAudit } from './requests/audit.ts';
import type { Decision } from './requests/decisions.ts';
import type { HostPolicy } from './requests/policy.ts';
import type { RequestHandling } from './requests/request-options.ts';
import type { HostAuth } from './servers/auth-section.ts';
import type { HostConfig } from './servers/config.ts';
import type { AllowedVariables, Environment } from './servers/variables.ts';
import type { ListStore } from './stored-lists/list-store.ts';

/** The options of the clients of a host: those of `connect`, except for what the host sets itself. */
export type HostConnectOptions = Omit<ConnectOptions, 'handlers' | 'clientInfo' | 'onClose' | 'onWarning' | 'onLog'>;

/**
 * Time limits of a host, in milliseconds.
 * @area host
 */
export interface HostTimeouts {
  /**
   * How long a consent hook may take.
   * @default 5 min
   * @most none
   * @beyond denied
   * @code consent-denied
   */
  readonly consentMs?: number;
  /**
   * How long a connection and its process may be unused. A watched resource is a use, a subscription to lists is not. A server
   * may hold state, so it is off by default.
   * @default off
   * @most none
   * @beyond the connection closes; the next use opens it
   */
  readonly idleMs?: number;
}

/**
 * Limits of a host.
 * @area host
 */
export interface HostLimits {
  /**
   * Tools, resources, templates or prompts of one server that are listed, of each kind.
   * @default 1000
   * @beyond the rest is left out, with an error in the list
   * @code list-too-long
   */
  readonly maxListed?: number;
}

/**
 * How long a list waits for one server.
 * @limit HostTimeouts.listMs
 * @beyond the list has an error for that server
 * @code timeout
 */
export const listMs = 30_000;

/**
 * How long the user is not asked about a server that they refused too often.
 * @limit HostTimeouts.muteMs
 * @beyond the user is asked again
 */
export const muteMs = 10 * 60_000;

/**
 * Questions of rules about one server that wait for the user.
 * @limit HostLimits.maxQuestions
 * @beyond refused
 * @code too-many-questions
 */
export const maxQuestions = 8;

/**
 * Questions of rules about one server in a minute.
 * @limit HostLimits.maxQuestionsPerMinute
 * @beyond refused
 * @code too-many-questions
 */
export const maxQuestionsPerMinute = 10;

/**
 * Refusals of questions about one server in a row.
 * @limit HostLimits.maxRefusals
 * @beyond the server is muted
 * @code server-muted
 */
export const maxRefusals = 3;

/**
 * The options of `createHost`.
 * @area host
 */
export interface HostOptions extends RequestHandling {
  /**
   * The servers: `{ mcpServers: { … } }` as in a configuration file, or the inner object.
   * @rule hostServers
   */
  readonly servers: HostConfig;
  /**
   * The name and version of the host, sent to every server.
   * @default off
   * @rule hostInfo
   */
  readonly clientInfo?: Implementation;
  /**
   * The variables that `${NAME}` in the configuration refers to.
   * @default computed on Node those of `process.env` in `allowedVariables`
   * @rule hostVariables
   */
  readonly env?: Environment;
  /**
   * Which variables the configuration may use: their names, a function of the variable, the server and the field, or
   * `'allow-all'`. A server gets the values.
   * @default computed those of `env`; without `env`, none
   * @rule allowedVariables
   */
  readonly allowedVariables?: AllowedVariables;
  /**
   * Called for every server at a URL, with the section `auth` of its entry, if it has one. Returns its credentials: each
   * server has its own. Without it, only entries whose `auth` is what `oauth()` returns have any.
   * @default off
   */
  readonly auth?: HostAuth;
  /**
   * Decides what the user and the servers may do, before any hook: what it denies is not listed and not sent, where it
   * asks the hooks of `consent` decide, and what it allows needs no consent. What no rule allows is denied.
   * @default off
   * @rule hostPolicy
   */
  readonly policy?: HostPolicy | Promise<HostPolicy>;
  /**
   * The user of the host, for the rules of the policy: a name, or `{ issuer, subject, scopes, roles, claims }`.
   * @default off
   * @rule hostPrincipal
   */
  readonly principal?: string | PrincipalDetails;
  /**
   * Has tool calls approved for which a rule of the policy names another approver than the user. Without it they are
   * denied. `createApprovals()` of `tenon/guard` makes it.
   * @default off
   * @rule hostApprovals
   */
  readonly approvals?: CallApprovals;
  /**
   * Where answers of the user are stored that outlive the host: those to a rule with `remember: 30d`, and `{ allow: { forMs } }`
   * of a hook. By default they end with the host. `consentsFolder()` makes one; another is `consents` of a store.
   * @default computed memory of the host
   * @rule consentStore
   */
  readonly consentStore?: ConsentStore;
  /**
   * Where `lists: 'stored'` stores lists without a lock.
   * @default off
   * @rule listStore
   */
  readonly listStore?: ListStore;
  /**
   * Records decisions, consent, tool calls and the lock. Nothing is sent without its record. The host does not close it.
   * @default off
   * @rule hostAudit
   */
  readonly audit?: HostAudit;
  /**
   * Pins the definitions and instructions of every server: what was not approved is hidden, what changed is refused.
   * `lockFile` and `createLock` of `tenon/guard` make one.
   * @default off
   * @rule hostLock
   */
  readonly lock?: Lock | Promise<Lock>;
  /**
   * Where lists come from while a server is not connected. `stored`: from the lock, or as the server had them last; a server
   * starts at its first call, and a tool that is another one then is refused once. `live`: each list starts its server.
   * @default 'live'
   */
  readonly lists?: 'live' | 'stored';
  /** Time limits. */
  readonly timeouts?: HostTimeouts;
  /** Limits on lists. */
  readonly limits?: HostLimits;
  /**
   * Called with every decision about consent.
   * @default off
   */
  readonly onDecision?: (decision: Decision) => void;
  /**
   * Whether decisions include the request: arguments, messages and roots, with any secrets in them.
   * @default false
   */
  readonly includeRequests?: boolean;
  /**
   * Options of the clients, for all servers or by server.
   * @default off
   * @rule clientOptions
   */
  readonly connectOptions?: HostConnectOptions | ((server: string) => HostConnectOptions);
  /**
   * Called with every log message of a server.
   * @default off
   */
  readonly onLog?: (server: string, entry: LogEntry) => void;
  /**
   * Called with everything that was dropped or failed in the background.
   * @default off
   */
  readonly onWarning?: (server: string, error: TenonError) => void;
}
