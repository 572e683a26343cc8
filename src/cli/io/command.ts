/** What the command line knows of a command without loading it: for help, completion, the guide, and reading arguments. */
import type { Fields } from '../../lib/values/is.ts';
import type { ExitCode } from './exit-codes.ts';
import type { Given } from './given.ts';

export interface OptionSpec {
  /** What it does, as a phrase. */
  readonly about: string;
  /** The name of its value in help; absent for flags. */
  readonly value?: string;
  readonly short?: string;
  /** Whether it can be given several times. */
  readonly isRepeated?: true;
  /** The values that it can have. */
  readonly choices?: readonly string[];
}

export interface ArgumentSpec {
  readonly name: string;
  readonly about: string;
  /** The words that it can be, for completion. */
  readonly choices?: readonly string[];
  readonly isOptional?: true;
  /** Whether it takes all that follow. */
  readonly isRest?: true;
}

export interface CommandSpec {
  readonly name: string;
  readonly group: 'build' | 'look' | 'use' | 'check' | 'capture' | 'contract' | 'access' | 'set up';
  /** One sentence. */
  readonly about: string;
  /** Whether it connects to a server: then the target comes first, or a command after `--`. */
  readonly target: 'none' | 'one' | 'two' | 'optional';
  /** Words that stand before the target. */
  readonly before?: readonly ArgumentSpec[];
  readonly arguments?: readonly ArgumentSpec[];
  readonly options?: Readonly<Record<string, OptionSpec>>;
  /** Lines that can be typed, each with what it does. */
  readonly examples: readonly (readonly [line: string, about: string])[];
  load(): Promise<{ readonly run: RunCommand }>;
}

/** A server request, as the server sent it; or a page where the user signs in. */
export interface Question {
  readonly key: string;
  readonly method: string;
  readonly params: Fields;
}

/** Questions that wait for `tenon answer`, as the envelope has them. */
export interface Pending {
  readonly id: string;
  readonly questions: readonly Question[];
  /** When they can no longer be answered, in ISO 8601. */
  readonly expires: string;
}

/** What a command returns: printed as one JSON envelope with `--json`, and as text without. */
export interface CommandResult {
  readonly result: unknown;
  /** Shown without `--json`; nothing if empty. */
  readonly text: string;
  readonly exit?: ExitCode;
  /** Open questions of the server, for `tenon answer`; printed instead of the result. */
  readonly pending?: Pending;
}

/** All words of a command, without its targets. */
export const wordsOf = ({ before = [], arguments: after = [] }: CommandSpec): readonly ArgumentSpec[] => [
  ...before,
  ...after,
];

export type RunCommand = (given: Given) => Promise<CommandResult>;
