/** The options of `serveStdio`, and their check before standard output is guarded. */
import type { Readable, Writable } from 'node:stream';
import { messageLimits } from '../../jsonrpc/limits.ts';
import type { Logger } from '../../lib/errors/logger.ts';
import type { TenonError } from '../../lib/errors/tenon-error.ts';
import {
  callback,
  checkOptions,
  count,
  duration,
  durationOrZero,
  flag,
  group,
  has,
  isCount,
  logger,
  type Rules,
  wrong,
} from '../../lib/options/option-rules.ts';
import { type PrincipalDetails, principalRule } from '../../ports/principal.ts';
import { checkStore } from '../../server/kernel/store-check.ts';
import type { Authenticate } from '../../server/ports/authenticate.ts';
import type { ConnectionLimits, ConnectionTimeouts } from '../../server/transport/serve-transport.ts';
import type { Store } from '../../store/store.ts';
import type { Tap } from '../../transport/tap.ts';
import { addressIn } from '../open-store.ts';
import { defaultMaxQueuedChars } from '../pipe/pipe-writer.ts';
import { storeOrUrl } from '../service-store.ts';

/** The options of `serveStdio`. */
export interface ServeStdioOptions {
  /** The stream to read messages from. Default: standard input. With `stdin` or `stdout` set, signals of the process are not handled. */
  readonly stdin?: Readable;
  /** The stream to write messages to. Default: standard output, which other code then cannot write to. */
  readonly stdout?: Writable;
  /** Whether the process exits when the connection has closed. Default true, and false with `stdin` or `stdout` set. */
  readonly exitOnClose?: boolean;
  /** Whether a message with duplicate keys is rejected. Default false: the last of them counts. */
  readonly strict?: boolean;
  /**
   * Finds the principal of each message by its `_meta.authorization`, beside `params`: `header('authorization')` returns
   * it. A message without one is of `principal`; without that too, this decides. Default: every message is of `principal`.
   */
  readonly authenticate?: Authenticate<undefined>;
  /** Who is connected, such as the user of the machine: issuer and subject, or a text that names both. Default none. */
  readonly principal?: string | PrincipalDetails;
  /**
   * Where used keys are stored, which endpoints of the same server share: a store, or a URL such as `sqlite:./tenon.db` or
   * `redis://…`. What was opened by its URL is closed with the connection. Default: memory of this process.
   */
  readonly store?: Store | string;
  /** Limits on sizes and numbers. */
  readonly limits?: StdioLimits;
  /** Timeouts, in milliseconds. */
  readonly timeouts?: StdioTimeouts;
  /** Sees every message, as it was sent. Secrets are not removed. */
  readonly tap?: Tap;
  /** Logs when the connection opens and closes, and warnings. A pino instance fits, if it does not write to standard output. By default warnings are written to standard error. */
  readonly logger?: Logger;
  /** Called when a message is dropped or cannot be sent. The service continues. By default warnings are written to standard error. */
  readonly onWarning?: (error: TenonError) => void;
}

/** Limits of a server on stdio. */
export interface StdioLimits extends ConnectionLimits {
  /** Characters of one message; a longer line closes the connection. Default 16 Mi. */
  readonly maxMessageChars?: number;
  /** Characters that wait for a client that reads too slowly; beyond it, the connection closes. Default 256 Mi. */
  readonly maxQueuedChars?: number;
}

/** Timeouts of a server on stdio, in milliseconds. */
export interface StdioTimeouts extends ConnectionTimeouts {
  /** How long running calls may take to finish after the end of input or a signal. Default 5 seconds. */
  readonly shutdownMs?: number;
  /** How long an operation of the store may take; then it fails with `store-timeout`. Default 2 seconds. */
  readonly storeMs?: number;
}

const rules: Rules = {
  stdin: { holds: (value) => has(value, 'resume'), must: 'be a readable stream' },
  stdout: { holds: (value) => has(value, 'write'), must: 'be a writable stream' },
  exitOnClose: flag,
  strict: flag,
  authenticate: callback,
  principal: principalRule,
  store: storeOrUrl,
  limits: group({
    ...messageLimits,
    maxConcurrentCalls: count,
    maxQueuedChars: {
      holds: (value) => isCount(value) && (value as number) <= defaultMaxQueuedChars,
      must: `be an integer, 1 to ${defaultMaxQueuedChars}`,
    },
  }),
  timeouts: group({ inputMs: duration, shutdownMs: durationOrZero, storeMs: duration }),
  logger,
  tap: callback,
  onWarning: callback,
};

/** Throws `invalid-argument` before standard output is guarded. */
export function checkStdioOptions(server: unknown, options: unknown): void {
  if (!has(server, 'accept')) throw wrong('serveStdio()', 'server', 'be the result of createServer()');
  checkOptions('serveStdio()', options, rules);
  const { store } = options as ServeStdioOptions;
  if (typeof store === 'string') addressIn(store);
  else checkStore('serveStdio()', store);
}
