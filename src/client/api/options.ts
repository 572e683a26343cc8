/** What can be said when connecting. */
import type { PeerOptions } from '../../jsonrpc/peer.ts';
import type { CompatOptions } from '../../protocol/dialects/dialects.ts';
import type { Implementation, LoggingLevel } from '../../protocol/generated/types/records.ts';
import type { ProtocolVersion } from '../../protocol/revisions/revisions.ts';
import type { Schema } from '../../schema/standard.ts';
import type { ClientHandlers } from '../answers/handlers.ts';
import type { Backoff } from '../retry/backoff.ts';
import type { CacheOptions } from './cache-options.ts';
import type { ClientExtensions } from './extensions.ts';
import type { ClientTelemetry } from './telemetry-port.ts';

/** A capability of a server, by its path. */
export type Expectation = (typeof expectations)[number];

export const expectations = [
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

export interface ReconnectOptions extends Partial<Backoff> {
  /** After so many failures in a row, without a call answered in between, calls are refused at once (`circuit-open`) instead of waiting; 5 by default. */
  readonly maxConsecutiveFailures?: number;
  /** How long a connection has to hold before failures count from the start again; 10 seconds by default. */
  readonly resetAfterMs?: number;
}

/** A log message of the server. */
export interface LogEntry {
  readonly level: LoggingLevel;
  readonly logger: string | undefined;
  readonly data: unknown;
}

export interface ConnectOptions extends Pick<PeerOptions, 'strict' | 'limits' | 'deadlines'> {
  readonly clientInfo?: Implementation;
  /** The revisions to accept; all of them by default, the newest first. */
  readonly protocolVersions?: readonly ProtocolVersion[];
  /** For peers that differ from the specification; see the page on dialects. */
  readonly compat?: CompatOptions;
  /** What is answered when the server asks. What is absent it is told not to ask. */
  readonly handlers?: ClientHandlers;
  /** Extensions this client has: their contracts, or bare settings under identifiers where declaring is all there is. */
  readonly extensions?: ClientExtensions;
  /**
   * Whether a connection that broke off is made again, and how. On by default where a server is started or reached by
   * its address; off for a server in this process and for a channel, which cannot be opened twice.
   */
  readonly reconnect?: boolean | ReconnectOptions;
  /** Whether what the server says of its tools is believed: those that only read, or can be repeated, are sent again. */
  readonly trusted?: boolean;
  /** Capabilities the server has to have; without one of them connecting fails. */
  readonly requiredCapabilities?: readonly Expectation[];
  /**
   * How long a call may wait for a sign of the server; 60 seconds by default. Progress begins that time anew. While
   * `handlers` are at work on what the server asked, it stands still. It is also the time for connecting, all in all.
   */
  readonly timeoutMs?: number;
  /** How long a call may wait in all, however much progress comes; ten times `timeoutMs` by default. */
  readonly totalMs?: number;
  /** Gives connecting up, until it is done for the first time, and ends what was begun for it. What happens later is for the calls and `close`. */
  readonly signal?: AbortSignal;
  /** How long a server may take to say that it can be discovered; 5 seconds by default, half of the time for connecting at most. */
  readonly probeTimeoutMs?: number;
  /** How long `handlers` may be at work on what the server asked, before it is refused; ten minutes by default. */
  readonly answerTimeoutMs?: number;
  /** How often one call may be asked back. */
  readonly maxRounds?: number;
  /**
   * How lists and reads are kept. By default they are for as long as the server says, until it tells of a change or
   * the connection is a new one; `false` fetches everything anew.
   */
  readonly cache?: CacheOptions | false;
  /**
   * Asks the server whether it is there after so long without a word of it, where the revision has such a question;
   * without an answer in the same time the connection is given up. Off by default.
   */
  readonly pingEveryMs?: number;
  /** The least the server should log, and who hears it. */
  readonly logLevel?: LoggingLevel;
  readonly onLog?: (entry: LogEntry) => void;
  /** Makes validators of output schemas: pass `jsonSchema` of `tenon/json-schema` to have structured output checked. */
  readonly jsonSchemaValidator?: (schema: object) => Schema;
  /** Follows every request: pass what `clientTelemetry` of `tenon/telemetry` gives. */
  readonly telemetry?: ClientTelemetry;
  /** Hears of messages that were dropped. */
  readonly onWarning?: (error: Error) => void;
  /** Hears that the connection is over. */
  readonly onClose?: (reason: Error | undefined) => void;
}
