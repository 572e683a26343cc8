/** Commands with several actions, such as `policy test`: the first word names one. */
import type { CommandResult } from '../io/command.ts';
import type { Given } from '../io/given.ts';
import { unknownName, usageError } from '../usage-error.ts';

/** Runs one action with the words after its name. */
export type RunAction = (given: Given, words: readonly string[]) => Promise<CommandResult>;

export function runAction(given: Given, actions: Readonly<Record<string, RunAction>>): Promise<CommandResult> {
  const [name = '', ...words] = given.words;
  const run = Object.hasOwn(actions, name) ? actions[name] : undefined;
  const names = Object.keys(actions);
  if (run === undefined) throw unknownName('action', name, names, `It can be ${names.join(', ')}.`);
  return run(given, words);
}

/** The words of an action by their names; one too few or too many is an error. */
export function wordsOf(words: readonly string[], ...names: readonly string[]): readonly string[] {
  const missing = names[words.length];
  if (missing !== undefined) throw usageError(`${missing} is missing.`, `Write ${names.join(' ')} after the action.`);
  if (words.length > names.length)
    throw usageError(`${JSON.stringify(words[names.length])} is one word too many.`, `Write ${names.join(' ')} alone.`);
  return words;
}
