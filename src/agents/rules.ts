/** Rules of options of createToolkit whose kind does not follow from their type. */
import { has, isFunction, isTexts, type Rule } from '../lib/options/option-rules.ts';

export const pinnedTools: Rule = {
  holds: (value) => isTexts(value) || isFunction(value),
  must: "be a list of names such as ['files__read'], or a function that gets a tool",
};

export const resultStore: Rule = {
  holds: (value) => has(value, 'read') && has(value, 'write'),
  must: 'be `results` of a store, such as createMemoryStore().results',
};

/** Shorter ones can be guessed: an interrupt passes through browsers. */
const leastSecret = 32;

const areSecrets = (texts: readonly string[]): boolean =>
  texts.length > 0 && texts.every((one) => one.length >= leastSecret);

export const interruptSecrets: Rule = {
  holds: (value) => isTexts(value) && areSecrets(value as readonly string[]),
  must: `be a list of secrets of ${leastSecret} characters or more, such as from openssl rand -base64 32`,
};
