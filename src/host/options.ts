/** The options of createHost(). */
import type { ConnectOptions, LogEntry } from '../client/api/options.ts';
import type { TenonError } from '../lib/errors/tenon-error.ts';
import type { Lock } from '../ports/lock.ts';
import type { PrincipalDetails } from '../ports/principal.ts';
import type { Implementation } from '../protocol/generated/types/records.ts';
import type { ConsentStore } from '../store/consents/consent-store.ts';
import type { HostAudit } from './requests/audit.ts';
import type { Decision } from './requests/decisions.ts';
import type { HostPolicy } from './requests/policy.ts';
import type { RequestHandling } from './requests/request-options.ts';
import type { HostAuth } from './servers/auth-section.ts';
import type { HostConfig } from './servers/config.ts';
import type { AllowedVariables, Environment } from './servers/variables.ts';

/** The options of the clients of a host: those of `connect`, except for what the host sets itself. */
export type HostConnectOptions = Omit<ConnectOptions, 'handlers' | 'clientInfo' | 'onClose' | 'onWarning' | 'onLog'>;

/** Time limits of a host, in milliseconds. */
export interface HostTimeouts {
  /** How long a consent hook may take. After that the answer is no. Default 300 000. */
  readonly consentMs?: number;
  /** How long the user is not asked about a server that they refused `limits.maxRefusals` times. Default 600 000. */
  readonly muteMs?: number;
  /** How long a list waits for one server. Default 30 000. The list then contains the other servers. */
  readonly listMs?: number;
  /**
   * Closes a connection that was not used for this long, and its process; the next use opens it again. A watched resource
   * is a use, a subscription to lists is not. Off by default: a server may hold state.
   */
  readonly idleMs?: number;
}

/** Limits of a host. */
export interface HostLimits {
  /** How many tools, resources, templates or prompts of one server are listed. Default 1000 of each. */
  readonly maxListed?: number;
  /** How many questions of rules about one server wait for the user. Default 8; more are refused (`too-many-questions`). */
  readonly maxQuestions?: number;
  /** How many questions of rules about one server are asked in a minute. Default 10; more are refused. */
  readonly maxQuestionsPerMinute?: number;
  /** After so many refusals in a row the server is muted for `timeouts.muteMs` (`server-muted`). Default 3. */
  readonly maxRefusals?: number;
}

/** The options of `createHost`. */
export interface HostOptions extends RequestHandling {
  /** The servers: `{ mcpServers: { … } }` as in a configuration file, or the inner object. */
  readonly servers: HostConfig;
  /** The name and version of the host, sent to every server. */
  readonly clientInfo?: Implementation;
  /** The variables that `${NAME}` in the configuration refers to. Default on Node: those of `process.env` in `allowedVariables`. */
  readonly env?: Environment;
  /**
   * Which variables the configuration may use: their names, a function of the variable, the server and the field, or
   * `'allow-all'`. A server gets the values. By default those of `env`; without `env`, none.
   */
  readonly allowedVariables?: AllowedVariables;
  /**
   * Called for every server at a URL, with the section `auth` of its entry, if it has one. Returns its credentials: each
   * server has its own. Without it, only entries whose `auth` is what `oauth()` returns have any.
   */
  readonly auth?: HostAuth;
  /**
   * Decides what the user and the servers may do, before any hook: what it denies is not listed and not sent, where it
   * asks the hooks of `consent` decide, and what it allows needs no consent. What no rule allows is denied.
   */
  readonly policy?: HostPolicy | Promise<HostPolicy>;
  /** The user of the host, for the rules of the policy: a name, or `{ issuer, subject, scopes, roles, claims }`. */
  readonly principal?: string | PrincipalDetails;
  /**
   * Where answers of the user are stored that outlive the host: those to a rule with `remember: 30d`, and `{ allow: { forMs } }`
   * of a hook. By default they end with the host. `consentsFolder()` makes one; another is `consents` of a store.
   */
  readonly consentStore?: ConsentStore;
  /** Records decisions, consent, tool calls and the lock. Nothing is sent without its record. The host does not close it. */
  readonly audit?: HostAudit;
  /**
   * Pins the definitions and instructions of every server: what was not approved is hidden, what changed is refused.
   * `lockFile` and `createLock` of `tenon/guard` make one.
   */
  readonly lock?: Lock | Promise<Lock>;
  /** Time limits. */
  readonly timeouts?: HostTimeouts;
  /** Limits on lists. */
  readonly limits?: HostLimits;
  /** Called with every decision about consent. */
  readonly onDecision?: (decision: Decision) => void;
  /** Whether decisions include the request: arguments, messages and roots, with any secrets in them. Default `false`. */
  readonly includeRequests?: boolean;
  /** Options of the clients, for all servers or by server. */
  readonly connectOptions?: HostConnectOptions | ((server: string) => HostConnectOptions);
  /** Called with every log message of a server. */
  readonly onLog?: (server: string, entry: LogEntry) => void;
  /** Called with everything that was dropped or failed in the background. */
  readonly onWarning?: (server: string, error: TenonError) => void;
}
