/** The options of `serveStdio`, and their check before standard output is guarded. */
import type { Readable, Writable } from 'node:stream';
import type { Logger } from '../../jsonrpc/logger.ts';
import {
  callback,
  checkOptions,
  count,
  duration,
  durationOrZero,
  flag,
  has,
  isCount,
  isObject,
  logger,
  type Rules,
  wrong,
} from '../../protocol/option-rules.ts';
import type { AcceptOptions } from '../../server/channel/serve-channel.ts';
import { defaultMaxWaiting } from '../pipe/pipe-writer.ts';

export interface ServeStdioOptions
  extends Pick<AcceptOptions, 'strict' | 'limits' | 'maxInFlight' | 'answerTimeoutMs' | 'replay' | 'onWarning'> {
  /** Read and written in place of the process's own streams, which are then left alone. */
  readonly stdin?: Readable;
  readonly stdout?: Writable;
  /** How long calls under way may take to end once the client has gone or a signal came. Default 5 s. */
  readonly graceMs?: number;
  /** Characters that may wait for a client that reads slower than it is answered; with more the connection ends. Default 256 Mi. */
  readonly maxWaiting?: number;
  /** Hears of the connection's begin and end, and of faults, which then go to standard error no more; pino fits, not on standard output. */
  readonly logger?: Logger;
  /** Whether the process exits when all is done. Default: yes, on its own streams. */
  readonly exitOnClose?: boolean;
}

const rules: Rules = {
  stdin: { holds: (value) => has(value, 'resume'), must: 'be a readable stream' },
  stdout: { holds: (value) => has(value, 'write'), must: 'be a writable stream' },
  graceMs: durationOrZero,
  maxWaiting: {
    holds: (value) => isCount(value) && (value as number) <= defaultMaxWaiting,
    must: `be an integer, 1 to ${defaultMaxWaiting}`,
  },
  maxInFlight: count,
  limits: { holds: isObject, must: 'be an object with maxMessageChars, maxDepth or maxBatch' },
  answerTimeoutMs: duration,
  onWarning: callback,
  logger,
  exitOnClose: flag,
  strict: flag,
  replay: flag,
};

/** Throws `invalid-argument` before standard output is taken. */
export function checkStdioOptions(server: unknown, options: unknown): void {
  if (!has(server, 'accept')) throw wrong('serveStdio()', 'server', 'be the result of createServer()');
  checkOptions('serveStdio()', options, rules);
}
