/** Everything a command has of the world outside: streams, terminal, clock, environment. Nothing else touches them. */

export interface Io {
  /** Writes to standard output: results, and nothing else. */
  out(text: string): void;
  /** Writes to standard error: progress, logs, questions, errors. */
  err(text: string): void;
  /** Whether standard output is a terminal. */
  readonly isTerminal: boolean;
  /** Whether a person can be asked: standard input and standard error are a terminal. */
  readonly canAsk: boolean;
  /** The width of the terminal. */
  readonly columns: number;
  /** Whether colors are wanted: on terminals, unless NO_COLOR is set. */
  readonly hasColor: boolean;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly cwd: string;
  /** Aborted by Ctrl+C. */
  readonly signal: AbortSignal;
  now(): number;
  /** All of standard input. */
  readInput(): Promise<string>;
}
