/** The arguments of a command, read and checked by its entry in the manifest. */
import type { Client } from '../../client/api/client.ts';
import type { ExitCode } from './exit-codes.ts';
import type { Io } from './io.ts';

/** Commands that run on a connection that is there already. */
export interface InnerCommands {
  readonly names: readonly string[];
  /** Prints the result or the error. Throws if there is no such command. */
  run(args: readonly string[], client: Client, signal: AbortSignal): Promise<ExitCode>;
}

export interface Given {
  readonly io: Io;
  /** The name of the command and all that was typed after it, for another process that carries it out. */
  readonly typed: readonly string[];
  /** The connection of `repl`, where the command was typed there. */
  readonly client: Client | undefined;
  /** The commands that can be typed in `repl`. */
  readonly inner: InnerCommands;
  /** The words before and after the target, by their places. */
  readonly words: readonly string[];
  /** The target as it was typed; absent if it is a command after `--`. */
  readonly target: string | undefined;
  readonly secondTarget: string | undefined;
  /** The command after `--`. */
  readonly command: readonly string[] | undefined;
  /** The value of an option, or the last one if it was given several times. */
  text(option: string): string | undefined;
  /** All values of an option. */
  texts(option: string): readonly string[];
  flag(option: string): boolean;
  /** An option that is a number above 0. */
  number(option: string): number | undefined;
  /** An option that is a whole number above 0. */
  count(option: string): number | undefined;
  /** Whether the result is printed as JSON. */
  readonly isJson: boolean;
  /** Prints one result of a command that has several: a line of JSON, or its text. */
  emit(result: unknown, text: string): void;
}
