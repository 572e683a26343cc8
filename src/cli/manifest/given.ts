/** The arguments of a command, read and checked by its entry in the manifest. */
import type { Io } from '../io/io.ts';

export interface Given {
  readonly io: Io;
  /** The words after the target, by their places. */
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
  /** Whether the result is printed as JSON. */
  readonly isJson: boolean;
  /** Prints one result of a command that has several: a line of JSON, or its text. */
  emit(result: unknown, text: string): void;
}
