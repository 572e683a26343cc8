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
