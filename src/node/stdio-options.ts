/** What can be said when serving on standard streams, and the refusal of what could only fail later. */
import type { Readable, Writable } from 'node:stream';
import { TenonError } from '../jsonrpc/errors.ts';
import type { Logger } from '../jsonrpc/logger.ts';
import type { ServeOptions } from '../server/duplex.ts';
import { defaultMaxWaiting } from './pipe-writer.ts';

export interface ServeStdioOptions
  extends Pick<ServeOptions, 'strict' | 'limits' | 'maxInFlight' | 'answerTimeoutMs' | 'replay' | 'fault'> {
  /** Read and written in place of the process's own streams, which are then left alone. */
  readonly input?: Readable;
  readonly output?: Writable;
  /** How long calls under way may take to end once the client has gone or a signal came. Default 5 s. */
  readonly graceMs?: number;
  /** Characters that may wait for a client that reads slower than it is answered; with more the connection ends. Default 256 Mi. */
  readonly maxWaiting?: number;
  /** Hears of the connection's begin and end, and of faults, which then go to standard error no more; pino fits, not on standard output. */
  readonly logger?: Logger;
  /** Whether the process exits when all is done. Default: yes, on its own streams. */
  readonly exit?: boolean;
}

interface Rule {
  readonly holds: (value: unknown) => boolean;
  readonly mend: string;
}

const isObject = (value: unknown): value is Record<string, unknown> => typeof value === 'object' && value !== null;
const has = (value: unknown, method: string): boolean => isObject(value) && typeof value[method] === 'function';
const isLogger = (value: unknown): boolean => ['debug', 'info', 'warn', 'error'].every((level) => has(value, level));
const isCount = (value: unknown): boolean => Number.isSafeInteger(value) && (value as number) > 0;

const switched: Rule = { holds: (value) => typeof value === 'boolean', mend: 'Write true or false.' };

const rules: Readonly<Record<string, Rule>> = {
  input: { holds: (value) => has(value, 'resume'), mend: 'Pass a stream that can be read.' },
  output: { holds: (value) => has(value, 'write'), mend: 'Pass a stream that can be written to.' },
  graceMs: {
    holds: (value) => Number.isFinite(value) && (value as number) >= 0,
    mend: 'Give milliseconds, 0 or more, or leave it out.',
  },
  maxWaiting: {
    holds: (value) => isCount(value) && (value as number) <= defaultMaxWaiting,
    mend: `Give an integer, 1 to ${defaultMaxWaiting}.`,
  },
  maxInFlight: { holds: isCount, mend: 'Give an integer over 0, or leave it out.' },
  answerTimeoutMs: {
    holds: (value) => Number.isFinite(value) && (value as number) > 0,
    mend: 'Give milliseconds over 0, or leave it out.',
  },
  fault: { holds: (value) => typeof value === 'function', mend: 'Pass a function.' },
  logger: { holds: isLogger, mend: 'Pass one with debug, info, warn and error, such as pino().' },
  exit: switched,
  strict: switched,
  replay: switched,
};

/** Throws `invalid-argument` before standard output is taken. */
export function checkStdioOptions(server: unknown, options: unknown): void {
  if (!has(server, 'accept')) throw refused('there is no server', 'Pass what createServer() gives.');
  if (!isObject(options)) throw refused('options is no object', 'Write serveStdio(server, { … }).');
  for (const [name, { holds, mend }] of Object.entries(rules)) {
    if (options[name] !== undefined && !holds(options[name])) throw refused(`${name} is not what it has to be`, mend);
  }
}

const refused = (problem: string, hint: string): TenonError =>
  new TenonError('invalid-argument', `serveStdio(): ${problem}.`, { hint });
