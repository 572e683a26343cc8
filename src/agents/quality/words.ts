/** The words of names and descriptions, as they are compared. */

/** `getUser_v2` has get, user, v2. */
export const wordsInName = (name: string): string[] => wordsIn(name.replace(/([a-z\d])([A-Z])/g, '$1 $2'));

/** Lower-case words without punctuation. */
export const wordsIn = (text: string): string[] => text.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? [];

/** Without the endings that differ between a name and a sentence: `files` is `file`, `creates` is `create`. */
export const stemOf = (word: string): string =>
  word.length > 4 ? word.replace(/(?:ies|ing|ed|es|s|y|e)$/, '') : word.replace(/s$/, '');
