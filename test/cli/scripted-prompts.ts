/** Answers the questions of the command line from a list, and remembers what was asked. */
import { PromptCanceled, type Prompts } from '../../src/cli/io/prompts.ts';

/** A text, the label of a choice, labels of several, true or false; `cancel` is Ctrl+C. */
export type Answer = string | boolean | readonly string[] | typeof cancel;
export const cancel: unique symbol = Symbol('cancel');

export interface ScriptedPrompts extends Prompts {
  /** The questions, the first line of each. */
  readonly asked: string[];
  /** What was shown between them, and problems of answers. */
  readonly notes: string[];
}

export function scriptedPrompts(...answers: readonly Answer[]): ScriptedPrompts {
  const left = [...answers];
  const asked: string[] = [];
  const notes: string[] = [];

  function next(message: string): Exclude<Answer, typeof cancel> {
    asked.push(message.split('\n')[0] ?? '');
    const answer = left.shift();
    if (answer === undefined) throw new Error(`No answer for: ${message}`);
    if (answer === cancel) throw new PromptCanceled();
    return answer;
  }

  return {
    asked,
    notes,
    isOpen: false,
    async text({ message, check }) {
      for (;;) {
        const answer = String(next(message));
        const problem = check?.(answer);
        if (problem === undefined) return answer;
        notes.push(problem);
      }
    },
    async choose({ message, options }) {
      const answer = next(message);
      const chosen = options.find(({ label }) => label === answer);
      if (chosen === undefined) throw new Error(`${String(answer)} is none of ${options.map(({ label }) => label)}`);
      return chosen.value;
    },
    async chooseSome({ message, options }) {
      const answer = next(message);
      return options.filter(({ label }) => Array.isArray(answer) && answer.includes(label)).map(({ value }) => value);
    },
    confirm: async ({ message }) => next(message) === true,
    note: (text) => void notes.push(text),
  };
}
