/** The commands that connect() starts, as targets. */
import type { Rule } from '../../lib/options/option-rules.ts';
import { isRecord, isString } from '../../lib/values/is.ts';

/**
 * A server that is started as a child process and connected to by its standard streams.
 *
 * @area client
 * @of the target
 * @example
 * ```ts
 * const client = await connect({ command: 'npx', args: ['weather-server'], env: { API_KEY: key } });
 * ```
 */
export interface CommandTarget {
  /**
   * The name or path of the program. No shell is involved.
   * @rule programName
   */
  readonly command: string;
  /**
   * The arguments of the program.
   * @default off, none
   * @rule programArguments
   */
  readonly args?: readonly string[];
  /**
   * Variables for the server, besides PATH, HOME and other harmless ones of this process.
   * @default off
   * @rule programVariables
   */
  readonly env?: Readonly<Record<string, string | undefined>>;
  /**
   * The folder it starts in.
   * @default computed the one of this process
   * @rule programFolder
   */
  readonly cwd?: string;
  /**
   * Where its standard error goes: to the one of this process, nowhere, or to a function, line by line.
   * @default 'inherit'
   * @rule standardError
   */
  readonly stderr?: 'inherit' | 'ignore' | ((line: string) => void);
  /**
   * How long the process may take to exit after its input is closed.
   * @default 2 s
   * @least 0
   * @beyond SIGTERM, and after as long again SIGKILL
   */
  readonly exitTimeoutMs?: number;
}

/** Follows the processes that are started for a command: for what counts them. */
export interface ProcessWatch {
  started(): void;
  /** It has exited, and its streams are closed. */
  ended(): void;
}

/** A member of a command that no user sets. */
export const processWatch: unique symbol = Symbol('tenon.processWatch');

export type WatchedCommand = CommandTarget & { readonly [processWatch]?: ProcessWatch };

export const programName: Rule = {
  holds: (value) => isString(value) && value !== '',
  must: "be the name of a program: connect({ command: 'node', args: ['server.js'] })",
};

export const programArguments: Rule = { holds: Array.isArray, must: "be a list such as ['--flag', 'value']" };

export const programVariables: Rule = { holds: isRecord, must: "be an object such as { NAME: 'value' }" };

export const programFolder: Rule = { holds: isString, must: 'be the path of a folder' };

export const standardError: Rule = {
  holds: (value) => value === 'inherit' || value === 'ignore' || typeof value === 'function',
  must: "be 'inherit', 'ignore', or a function that gets each line",
};
