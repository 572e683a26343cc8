/** The options of connect() and createClient(). */

import type { MessageLimitOptions } from '../../jsonrpc/limits.ts';
import type { TenonError } from '../../lib/errors/tenon-error.ts';
import type { ClientDialect, CompatOptions } from '../../protocol/dialects/compat-options.ts';
import type { Implementation, LoggingLevel } from '../../protocol/generated/types/records.ts';
import type { ProtocolVersion } from '../../protocol/revisions/revisions.ts';
import type { Schema } from '../../schema/standard.ts';
import type { Tap } from '../../transport/tap.ts';
import type { ClientHandlers } from '../answers/handlers.ts';
import type { CacheOptions } from './cache-options.ts';
import type { Contract } from './contract.ts';
import type { ClientExtensions } from './extensions.ts';
import type { ReconnectOptions } from './reconnect-options.ts';
import type { TasksOptions } from './tasks.ts';
import type { ClientTelemetry } from './telemetry-port.ts';

/** A capability that a server can declare, by its path. A path under `experimental` is the name of the feature. */
export type RequiredCapability = (typeof requirableCapabilities)[number] | `experimental.${string}`;

export const requirableCapabilities = [
  'tools',
  'tools.listChanged',
  'resources',
  'resources.subscribe',
  'resources.listChanged',
  'prompts',
  'prompts.listChanged',
  'completions',
  'logging',
] as const;

/**
 * Time limits of a client, in milliseconds. `timeoutMs` is the limit of one call.
 * @area client
 */
export interface ConnectTimeouts {
  /**
   * The whole time of a call, of `list().all()` and of the list for `jsonSchemaValidator`, however much progress is reported;
   * also `maxTotalTimeoutMs` of a call.
   * @default computed 10 × `timeoutMs`
   * @most none
   * @beyond the call is cancelled
   * @code timeout
   */
  readonly maxTotalMs?: number;
  /**
   * How long a session may be silent before the server is pinged, in revisions with `ping`.
   * @default off
   * @most none
   * @beyond after as long again without any message the connection closes
   * @code server-unresponsive
   */
  readonly pingIntervalMs?: number;
  /**
   * How long your `handlers` may take to answer a server request.
   * @default 10 min
   * @most none
   * @beyond the server request is rejected
   * @code server-request-failed
   */
  readonly inputMs?: number;
}

/**
 * How long to wait for the answer to `server/discover` before trying `initialize`.
 * @limit ConnectTimeouts.discoveryMs
 * @default 5 s, at most half of `timeoutMs`
 * @beyond the handshake is tried
 */
export const discoveryMs = 5000;

/**
 * How long a call waits for the user to complete the URL elicitations that it requires.
 * @limit ConnectTimeouts.urlElicitationMs
 * @beyond the call fails; its `cause` is the server's error
 * @code timeout
 */
export const urlElicitationMs = 10 * 60_000;

/**
 * How long a call follows its task while the server cannot be reached.
 * @limit ConnectTimeouts.taskOutageMs
 * @beyond the call fails; the task goes on
 * @code that of the last attempt
 */
export const taskOutageMs = 10 * 60_000;

/**
 * How long a watcher waits after it has fetched a changed list or resource, before it fetches again.
 * @limit ConnectTimeouts.refreshIntervalMs
 * @beyond the last change is never lost
 */
export const refreshIntervalMs = 500;

/**
 * Limits on what a server may send.
 * @area client
 */
export interface ConnectLimits extends MessageLimitOptions {
  /**
   * Rounds of input of one call.
   * @default 16
   * @beyond the call fails
   * @code too-many-input-rounds
   */
  readonly maxInputRounds?: number;
  /**
   * Items of a list.
   * @default 10,000
   * @beyond the list fails
   * @code list-too-long
   */
  readonly maxListItems?: number;
}

/**
 * Characters of JSON of the pages of a list. Each object and array in it counts for 32 more.
 * @limit ConnectLimits.maxListChars
 * @beyond the list fails
 * @code list-too-long
 */
export const maxListChars = 32 * 1024 * 1024;

/** A log message of the server. */
export interface LogEntry {
  /** The severity, from `debug` to `emergency`. */
  readonly level: LoggingLevel;
  /** The name of the logger that wrote it, if the server sent one. */
  readonly logger: string | undefined;
  /** What was logged: a text, or any other JSON value. */
  readonly data: unknown;
}

/**
 * The options of `connect` and `createClient`.
 *
 * @area client
 * @example
 * ```ts
 * const client = await connect('https://example.com/mcp', {
 *   clientInfo: { name: 'my-client', version: '1.0.0' },
 *   handlers: { elicitForm: (request, { signal }) => showForm(request, signal) },
 *   timeoutMs: 30_000,
 *   onWarning: (error) => console.warn(error.message),
 * });
 * ```
 */
export interface ConnectOptions {
  /**
   * The name and version of your client.
   * @default computed `tenon`
   * @rule clientInfo
   */
  readonly clientInfo?: Implementation;
  /**
   * The protocol versions to accept.
   * @default computed all, newest first
   * @rule acceptedVersions
   */
  readonly protocolVersions?: readonly ProtocolVersion[];
  /**
   * The credentials that requests and notifications carry in `_meta.authorization` beside `params`, such as `Bearer …`,
   * for a server without HTTP that authenticates by them; a function is called for each message. URLs have `headers` and `auth`.
   * @default off
   * @rule authorizationText
   */
  readonly messageAuthorization?: string | (() => string);
  /**
   * For servers that differ from the specification; see the page on dialects.
   * @default off
   * @rule compatRule
   */
  readonly compat?: CompatOptions<ClientDialect>;
  /**
   * Capabilities that the server must declare. Connecting fails with `capability-not-supported` without one of them.
   * @default off
   * @rule requiredCapabilities
   */
  readonly requiredCapabilities?: readonly RequiredCapability[];
  /**
   * What the client expects of the tools and prompts of the server, as `tenon types` writes it. Connecting, and every
   * reconnect, fails with `schema-drift` if calls that the contract allows would not work, and names what has changed.
   * @default off
   * @rule expectedContract
   */
  readonly contract?: Contract;
  /**
   * Experimental capabilities that the client declares, by name. A server sees them in `ctx.caller.capabilities`. To
   * require one of the server, add `experimental.name` to `requiredCapabilities`.
   * @default off
   * @rule experimentalCapabilities
   */
  readonly experimental?: Readonly<Record<string, Record<string, unknown>>>;
  /** Handlers for requests of the server. The client declares the capabilities that have a handler. */
  readonly handlers?: ClientHandlers;
  /**
   * The extensions of this client: definitions, or settings by identifier to only declare them.
   * @default off
   * @rule clientExtensions
   */
  readonly extensions?: ClientExtensions;
  /**
   * Aborts the first connection attempt. Afterwards it has no effect: use `close()`.
   * @default off
   * @rule abortSignal
   */
  readonly signal?: AbortSignal;
  /**
   * How long a call waits without a message from the server; also `timeoutMs` of a call. Progress restarts it; it is paused
   * while your `handlers` run. It also limits connecting as a whole, handshake included, and then the lists of a `contract`.
   * @default 60 s
   * @most none
   * @beyond the call is cancelled; the attempt fails
   * @code timeout
   */
  readonly timeoutMs?: number;
  /** Further time limits. */
  readonly timeouts?: ConnectTimeouts;
  /** Limits on what the server may send. */
  readonly limits?: ConnectLimits;
  /**
   * Closes the client for good when the server sends an invalid message or a method that the protocol does not have.
   * Otherwise such a message is dropped and reported to `onWarning`.
   * @default false
   */
  readonly strict?: boolean;
  /**
   * Whether and how to reconnect.
   * @default computed on for commands and URLs; off for servers in this process and for transports, which cannot be opened twice
   */
  readonly reconnect?: boolean | ReconnectOptions;
  /**
   * How lists and resources are cached. By default as long as the server allows, until it reports a change or the client
   * reconnects. `false` disables the cache.
   */
  readonly cache?: CacheOptions | false;
  /** Where tasks are remembered, so that a client that was restarted finds them. */
  readonly tasks?: TasksOptions;
  /**
   * Validates structured output against the tools' output schemas: pass `fromJsonSchema` of `tenon/json-schema`.
   * @default off
   */
  readonly jsonSchemaValidator?: (schema: object) => Schema;
  /**
   * Wraps every request: pass the result of `clientTelemetry()` of `tenon/telemetry`.
   * @default off
   */
  readonly telemetry?: ClientTelemetry;
  /**
   * Sees every message, HTTP request and output of the server's process, as it was sent. Secrets are not removed.
   * @default off
   */
  readonly tap?: Tap;
  /**
   * The lowest level of log messages that the server should send.
   * @default off
   * @rule logLevel
   */
  readonly logLevel?: LoggingLevel;
  /**
   * Called with every log message of the server.
   * @default off
   */
  readonly onLog?: (entry: LogEntry) => void;
  /**
   * Called with everything that was dropped, such as an invalid message. The connection continues.
   * @default computed the first 100 are written with `console.error`
   */
  readonly onWarning?: (error: TenonError) => void;
  /**
   * Called once when the client is closed for good, with the error that closed it, if any.
   * @default off
   */
  readonly onClose?: (reason: Error | undefined) => void;
}
