/** The options of `createServer`. */
import type { ServerGuard } from '../ports/guard.ts';
import type { ServerCompat } from '../protocol/dialects/compat-options.ts';
import type { ProtocolVersion } from '../protocol/revisions/revisions.ts';
import type { RootsListChange } from './definition/context.ts';
import type { Middleware } from './definition/middleware.ts';
import type { ErrorContext } from './ports/call-limits.ts';
import type { IdempotencyOptions, RequestStateOptions, ServerLimits, TaskLimits } from './ports/option-groups.ts';

/**
 * The options of `createServer()`.
 * @area server
 */
export interface ServerOptions {
  /**
   * Runs in order around every call, subscription and change of the log level.
   * @default []
   * @rule middlewareList
   */
  readonly middleware?: readonly Middleware[];
  /**
   * How long a call, read, prompt or completion may take, unless its definition has a `timeoutMs` of its own. Waiting for
   * the client does not count.
   * @default off
   * @most none
   * @beyond the client gets an error, `ctx.signal` is aborted
   * @code timeout
   */
  readonly timeoutMs?: number;
  /**
   * Who may see and do what, how often, and the record of it: `guard({ policy, audit })` of `tenon/guard`.
   * @default off, every caller may do everything
   * @rule serverGuard
   */
  readonly guard?: ServerGuard;
  /** How much one connection and one call may use. */
  readonly limits?: ServerLimits;
  /**
   * The schemes that the URL of an elicitation may have.
   * @default computed `https` and `http`
   * @rule urlSchemes
   */
  readonly allowedUrlSchemes?: readonly string[];
  /**
   * Secrets of 16 characters or more that seal `requestState` and session IDs. The first one seals; the others still
   * open what they have sealed, so that a secret can be replaced.
   * @default computed a random one of each process: what it sealed is lost with a restart, and other nodes cannot open it
   * @rule serverSecrets
   */
  readonly secrets?: readonly string[];
  /** How the state of a call that waits for input is sealed. */
  readonly requestState?: RequestStateOptions;
  /** How calls with an idempotency key are stored, so that each runs once; `false` ignores the keys. */
  readonly idempotency?: IdempotencyOptions | false;
  /** How calls run as tasks, and how much they may store. */
  readonly tasks?: TaskLimits;
  /**
   * Replays handlers that request input under every protocol version, to find those that cannot run twice.
   * @default false
   */
  readonly alwaysReplay?: boolean;
  /**
   * Called with what handlers threw. Clients never get these errors.
   * @default computed `console.error`
   */
  readonly onError?: (error: unknown, call: ErrorContext) => void;
  /**
   * Called when a client has sent that its roots have changed, one callback of a session at a time. `listRoots()` of the
   * argument asks for the new ones. Only protocol versions with sessions have this notification.
   * @default off
   * @beyond one more callback runs after it, however many notifications arrived
   */
  readonly onRootsListChanged?: (change: RootsListChange) => void | Promise<void>;
  /**
   * The protocol versions to serve.
   * @default computed all
   * @rule servedVersions
   */
  readonly protocolVersions?: readonly ProtocolVersion[];
  /**
   * Whether a client that requests another version gets the newest one that is served (`negotiate`) or an error (`reject`).
   * @default 'negotiate'
   */
  readonly versionMismatch?: 'negotiate' | 'reject';
  /**
   * For clients that differ from the specification: all of them, or by a function of `{ clientInfo, capabilities, protocolVersion }`
   * that is called once, at `initialize`. See the page on dialects.
   * @default off
   * @rule serverCompatRule
   */
  readonly compat?: ServerCompat;
}
