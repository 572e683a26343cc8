/** The logger for connections and warnings: fields first, then a text, as in pino. */

import { runSafely } from '../values/run-safely.ts';

/** A pino instance fits as it is. */
export interface Logger {
  /** Logs details that help to find bugs. */
  debug(fields: object, message: string): void;
  /** Logs normal events, such as a new session. */
  info(fields: object, message: string): void;
  /** Logs messages that were dropped; service continues. */
  warn(fields: object, message: string): void;
  /** Logs failures. */
  error(fields: object, message: string): void;
}

export type LogLevel = keyof Logger;

export type Log = (level: LogLevel, fields: object, message: string) => void;

/** A logger that throws must not break what it logs. */
export const createLog =
  (logger: Logger): Log =>
  (level, fields, message) => {
    runSafely(() => logger[level](fields, message));
  };

/** Logs a warning by its code, without its text, which may quote what a peer sent, arguments included. */
export function logWarning(log: Log, error: Error, fields: object = {}): void {
  const code = 'code' in error && typeof error.code === 'string' ? error.code : error.name;
  log('warn', { ...fields, code }, 'warning');
}

/** Enough of a session id to distinguish sessions, too little to hijack one. */
export const shownSession = (id: string): string => id.slice(-12);
