/** The options of `serveStdio`. */
import type { Readable, Writable } from 'node:stream';
import type { Logger } from '../../lib/errors/logger.ts';
import type { TenonError } from '../../lib/errors/tenon-error.ts';
import { has, type Rule } from '../../lib/options/option-rules.ts';
import type { PrincipalDetails } from '../../ports/principal.ts';
import type { ServerCompat } from '../../protocol/dialects/compat-options.ts';
import type { Authenticate } from '../../server/ports/authenticate.ts';
import type { ConnectionLimits, ConnectionTimeouts } from '../../server/transport/accept-options.ts';
import type { Store } from '../../store/store.ts';
import type { Tap } from '../../transport/tap.ts';

/**
 * The options of `serveStdio`.
 * @area stdio
 */
export interface ServeStdioOptions {
  /**
   * The stream to read messages from. With `stdin` or `stdout` set, signals of the process are not handled.
   * @default computed standard input
   * @rule readableStream
   */
  readonly stdin?: Readable;
  /**
   * The stream to write messages to.
   * @default computed standard output, which other code then cannot write to
   * @rule writableStream
   */
  readonly stdout?: Writable;
  /**
   * Whether the process exits when the connection has closed.
   * @default computed true, and false with `stdin` or `stdout` set
   */
  readonly exitOnClose?: boolean;
  /**
   * Whether blank lines, a byte order mark, and messages with duplicate keys are rejected. Otherwise the first two are
   * skipped, and the last of the keys counts.
   * @default false
   */
  readonly strict?: boolean;
  /**
   * Finds the principal of each message by its `_meta.authorization`, beside `params`: `header('authorization')` returns
   * it. A message without one is of `principal`; without that too, this decides.
   * @default off, every message is of `principal`
   */
  readonly authenticate?: Authenticate<undefined>;
  /**
   * Who is connected, such as the user of the machine: issuer and subject, or a text that names both.
   * @default off
   * @rule principalRule
   */
  readonly principal?: string | PrincipalDetails;
  /**
   * Where used keys are stored, which endpoints of the same server share: a store, or a URL such as `sqlite:./tenon.db` or
   * `redis://…`. What was opened by its URL is closed with the connection.
   * @default computed memory of this process
   * @rule storeOrUrl
   */
  readonly store?: Store | string;
  /** Limits on sizes and numbers. */
  readonly limits?: StdioLimits;
  /** Timeouts, in milliseconds. */
  readonly timeouts?: StdioTimeouts;
  /**
   * For clients that differ from the specification, instead of `compat` of `createServer()`.
   * @default computed `compat` of the server
   * @rule serverCompatRule
   */
  readonly compat?: ServerCompat;
  /**
   * Sees every message, as it was sent. Secrets are not removed.
   * @default off
   */
  readonly tap?: Tap;
  /**
   * Logs when the connection opens and closes, and warnings. A pino instance fits, if it does not write to standard output.
   * @default computed warnings are written to standard error
   * @rule logger
   */
  readonly logger?: Logger;
  /**
   * Called when a message is dropped or cannot be sent. The service continues.
   * @default computed warnings are written to standard error
   */
  readonly onWarning?: (error: TenonError) => void;
}

/**
 * Limits of a server on stdio.
 * @area stdio
 */
export interface StdioLimits extends ConnectionLimits {
  /**
   * Characters of one message.
   * @default 16 Mi
   * @beyond the connection closes
   * @code message-too-large
   */
  readonly maxMessageChars?: number;
}

/**
 * Timeouts of a server on stdio, in milliseconds.
 * @area stdio
 */
export interface StdioTimeouts extends ConnectionTimeouts {
  /**
   * How long running calls may take to finish after the end of input or a signal.
   * @default 5 s
   * @least 0
   * @beyond they are aborted
   */
  readonly shutdownMs?: number;
  /**
   * How often the client is pinged, in sessions.
   * @default off
   * @beyond after as long again without an answer the connection closes
   * @code timeout
   */
  readonly pingIntervalMs?: number;
  /**
   * How long an operation of the store may take.
   * @default 2 s
   * @beyond it fails
   * @code store-timeout
   */
  readonly storeMs?: number;
}

export const readableStream: Rule = { holds: (value) => has(value, 'resume'), must: 'be a readable stream' };
export const writableStream: Rule = { holds: (value) => has(value, 'write'), must: 'be a writable stream' };
