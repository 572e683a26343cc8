/** Streams, terminal, clock and environment of a command. No other code uses those of the process. */

import type { Transport } from '../../transport/transport.ts';
import type { Prompts } from './prompts.ts';

/** What completes a line: texts that begin with its last word. */
export interface CompletedLine {
  readonly values: readonly string[];
  readonly word: string;
}

export interface LineQuestion {
  readonly prompt: string;
  complete(line: string): Promise<CompletedLine>;
}

/** The command, as it was typed, whose call a keeper holds open. */
export interface KeeperOrder {
  readonly id: string;
  /** Where commands attach to it. */
  readonly socket: string;
  readonly typed: readonly string[];
  /** The standard input of the command, if it reads it. */
  readonly input?: string | undefined;
}

export interface Io {
  /** Writes to standard output: results, and nothing else. */
  out(text: string): void;
  /** Sends what other code of this process prints to standard error: a server in a file may print anything. */
  reserveOutput(): void;
  /** Ends the process with the command, whatever other code of this process still waits for: timers, sockets, a model. */
  exitWhenDone(): void;
  /** Writes to standard error: progress, logs, questions, errors. */
  err(text: string): void;
  /** Whether standard output is a terminal. */
  readonly isTerminal: boolean;
  /** Whether a person can be asked: standard input and standard error are a terminal. */
  readonly canAsk: boolean;
  /** Questions to that person. */
  readonly prompts: Prompts;
  /** The width of the terminal, or the one in `COLUMNS`; infinite without both. */
  readonly columns: number;
  /** Whether colors are wanted: on terminals, unless NO_COLOR is set. */
  readonly hasColor: boolean;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly cwd: string;
  /** Aborted by Ctrl+C, and by SIGTERM. */
  readonly signal: AbortSignal;
  /** Has Ctrl+C call this instead, until the function that is returned is called. */
  catchInterrupts(onInterrupt: () => void): () => void;
  now(): number;
  /** Calls a function later, unless the function that is returned is called before. */
  after(ms: number, run: () => void): () => void;
  /** One line: typed by the person at the terminal, or of standard input. `undefined` at the end. */
  readLine(question: LineQuestion): Promise<string | undefined>;
  /** All of standard input. */
  readInput(): Promise<string>;
  /** Starts a process that holds a call open and outlives this one. Resolves when commands can attach to it. */
  startKeeper(order: KeeperOrder): Promise<void>;
  /** Standard input and output as a transport, for a command that a client has started as its server. */
  openStdio(): Promise<Transport>;
}
