/** The logger that lifecycle and faults are told to: fields first, then a text, as pino and its like have it. */

import { guarded } from './guarded.ts';

/** A pino instance fits as it is. */
export interface Logger {
  debug(fields: object, message: string): void;
  info(fields: object, message: string): void;
  warn(fields: object, message: string): void;
  error(fields: object, message: string): void;
}

export type LogLevel = keyof Logger;

export type Log = (level: LogLevel, fields: object, message: string) => void;

/** A logger that fails must not bring down what it hears of, and has nobody to tell. */
export const createLog =
  (logger: Logger): Log =>
  (level, fields, message) => {
    guarded(() => logger[level](fields, message));
  };

/** Tells of a fault by its code. Its text stays out: it can quote what a peer sent, arguments included. */
export function logFault(log: Log, error: Error, fields: object = {}): void {
  const code = 'code' in error && typeof error.code === 'string' ? error.code : error.name;
  log('warn', { ...fields, code }, 'fault');
}

/** Enough of a session's id to tell sessions apart, too little to take one over. */
export const shownSession = (id: string): string => id.slice(-12);
