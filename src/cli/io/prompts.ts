/** Questions to the person at the terminal. Each waits until the one before it is answered. */

export interface PromptOption<T> {
  readonly value: T;
  readonly label: string;
  /** Shown beside the option. */
  readonly hint?: string | undefined;
}

export interface PromptContext {
  /** Ends the question when its answer is no longer needed. */
  readonly signal?: AbortSignal | undefined;
}

export interface TextQuestion extends PromptContext {
  readonly message: string;
  /** What the text begins with. */
  readonly initial?: string | undefined;
  /** Shown while nothing is typed. */
  readonly placeholder?: string | undefined;
  /** Whether what is typed is hidden. */
  readonly isSecret?: boolean | undefined;
  /** What is wrong with a text. */
  check?(text: string): string | undefined;
}

export interface ChoiceQuestion<T> extends PromptContext {
  readonly message: string;
  readonly options: readonly PromptOption<T>[];
  readonly initial?: T | undefined;
}

export interface ChoicesQuestion<T> extends PromptContext {
  readonly message: string;
  readonly options: readonly PromptOption<T>[];
  readonly initial?: readonly T[] | undefined;
}

export interface ConfirmQuestion extends PromptContext {
  readonly message: string;
  readonly initial?: boolean | undefined;
}

/** All of them throw `PromptCanceled` at Ctrl+C, Escape, or when the signal is aborted. */
export interface Prompts {
  text(question: TextQuestion): Promise<string>;
  choose<T>(question: ChoiceQuestion<T>): Promise<T>;
  chooseSome<T>(question: ChoicesQuestion<T>): Promise<readonly T[]>;
  confirm(question: ConfirmQuestion): Promise<boolean>;
  /** Shows a text between questions. */
  note(text: string): void;
  /** Whether a question is on the screen: then nothing else may draw there. */
  readonly isOpen: boolean;
}

/** The person cancelled the question. */
export class PromptCanceled extends Error {
  constructor() {
    super('Canceled.');
  }
}

const rejectPrompt = (): Promise<never> => Promise.reject(new PromptCanceled());

/** Where no person can be asked. */
export const noPrompts: Prompts = {
  text: rejectPrompt,
  choose: rejectPrompt,
  chooseSome: rejectPrompt,
  confirm: rejectPrompt,
  note() {},
  isOpen: false,
};
