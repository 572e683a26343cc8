/** The options of connect() and createClient(). */

import type { MessageLimits } from '../../jsonrpc/limits.ts';
import type { TenonError } from '../../lib/errors/tenon-error.ts';
import type { CompatOptions } from '../../protocol/dialects/dialects.ts';
import type { Implementation, LoggingLevel } from '../../protocol/generated/types/records.ts';
import type { ProtocolVersion } from '../../protocol/revisions/revisions.ts';
import type { Schema } from '../../schema/standard.ts';
import type { Tap } from '../../transport/tap.ts';
import type { ClientHandlers } from '../answers/handlers.ts';
import type { Backoff } from '../retry/backoff.ts';
import type { CacheOptions } from './cache-options.ts';
import type { Contract } from './contract.ts';
import type { ClientExtensions } from './extensions.ts';
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

/** How a client reconnects. */
export interface ReconnectOptions extends Partial<Backoff> {
  /** After this many failures in a row, calls fail at once with `circuit-open` instead of waiting. Default 5. */
  readonly maxConsecutiveFailures?: number;
  /** How long a connection must stay open before failures are counted from zero again. Default 10 000. */
  readonly resetAfterMs?: number;
  /**
   * Whether to believe the server's tool annotations. Calls of tools marked `readOnlyHint` or `idempotentHint` are then
   * sent again when a connection breaks. Default `false`.
   */
  readonly trustToolAnnotations?: boolean;
}

/** Time limits of a client, in milliseconds. `timeoutMs` is the limit of one call. */
export interface ConnectTimeouts {
  /** The longest time of one call, however much progress it reports. Default 10 times `timeoutMs`. */
  readonly maxTotalMs?: number;
  /** How long to wait for the answer to `server/discover` before trying `initialize`. Default 5000, at most half of `timeoutMs`. */
  readonly discoveryMs?: number;
  /**
   * Pings a server that has sent nothing for this long, in revisions with `ping`. Without any message for the same time
   * again, the connection is closed. Off by default.
   */
  readonly pingIntervalMs?: number;
  /** How long your `handlers` may take to answer a server request. Default 600 000. */
  readonly inputMs?: number;
  /** How long a call waits for the user to complete the URL elicitations that it requires. Default 600 000. */
  readonly urlElicitationMs?: number;
  /** How long a call follows its task while the server cannot be reached. Default 600 000; then it fails, and the task goes on. */
  readonly taskOutageMs?: number;
  /** How long a watcher waits after it has fetched a changed list or resource, before it fetches again. Default 500. */
  readonly refreshIntervalMs?: number;
}

/** Limits on what a server may send. */
export interface ConnectLimits extends Partial<MessageLimits> {
  /** How often one call may require input. Default 16; after that it fails with `too-many-input-rounds`. */
  readonly maxInputRounds?: number;
  /** How many items a list may have. Default 10 000; a longer list fails with `list-too-long`. */
  readonly maxListItems?: number;
  /** How many characters of JSON the pages of a list may have together. Default 32 Mi; more fail with `list-too-long`. */
  readonly maxListChars?: number;
}

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
  /** The name and version of your client. Default `tenon`. */
  readonly clientInfo?: Implementation;
  /** The protocol versions to accept. Default all, newest first. */
  readonly protocolVersions?: readonly ProtocolVersion[];
  /** For servers that differ from the specification; see the page on dialects. */
  readonly compat?: CompatOptions;
  /** Capabilities that the server must declare. Connecting fails with `capability-not-supported` without one of them. */
  readonly requiredCapabilities?: readonly RequiredCapability[];
  /**
   * What the client expects of the tools and prompts of the server, as `tenon types` writes it. Connecting, and every
   * reconnect, fails with `schema-drift` if calls that the contract allows would not work, and names what has changed.
   */
  readonly contract?: Contract;
  /**
   * Experimental capabilities that the client declares, by name. A server sees them in `ctx.caller.capabilities`. To
   * require one of the server, add `experimental.name` to `requiredCapabilities`.
   */
  readonly experimental?: Readonly<Record<string, Record<string, unknown>>>;
  /** Handlers for requests of the server. The client declares the capabilities that have a handler. */
  readonly handlers?: ClientHandlers;
  /** The extensions of this client: definitions, or settings by identifier to only declare them. */
  readonly extensions?: ClientExtensions;
  /** Aborts the first connection attempt. Afterwards it has no effect: use `close()`. */
  readonly signal?: AbortSignal;
  /**
   * How long a call waits without a message from the server. Default 60 000. Progress restarts it; it is paused while
   * your `handlers` run. It also limits connecting as a whole.
   */
  readonly timeoutMs?: number;
  /** Further time limits. */
  readonly timeouts?: ConnectTimeouts;
  /** Limits on what the server may send. */
  readonly limits?: ConnectLimits;
  /**
   * Closes the client for good when the server sends an invalid message or a method that the protocol does not have. By
   * default such a message is dropped and reported to `onWarning`.
   */
  readonly strict?: boolean;
  /**
   * Whether and how to reconnect. On by default for commands and URLs; off for servers in this process and for
   * transports, which cannot be opened twice.
   */
  readonly reconnect?: boolean | ReconnectOptions;
  /**
   * How lists and resources are cached. By default as long as the server allows, until it reports a change or the client
   * reconnects. `false` disables the cache.
   */
  readonly cache?: CacheOptions | false;
  /** Where tasks are remembered, so that a client that was restarted finds them. */
  readonly tasks?: TasksOptions;
  /** Validates structured output against the tools' output schemas: pass `fromJsonSchema` of `tenon/json-schema`. */
  readonly jsonSchemaValidator?: (schema: object) => Schema;
  /** Wraps every request: pass the result of `clientTelemetry()` of `tenon/telemetry`. */
  readonly telemetry?: ClientTelemetry;
  /** Sees every message, HTTP request and output of the server's process, as it was sent. Secrets are not removed. */
  readonly tap?: Tap;
  /** The lowest level of log messages that the server should send. */
  readonly logLevel?: LoggingLevel;
  /** Called with every log message of the server. */
  readonly onLog?: (entry: LogEntry) => void;
  /**
   * Called with everything that was dropped, such as an invalid message. The connection continues. By default the first
   * 100 are written with `console.error`.
   */
  readonly onWarning?: (error: TenonError) => void;
  /** Called once when the client is closed for good, with the error that closed it, if any. */
  readonly onClose?: (reason: Error | undefined) => void;
}
