/** The words of names and descriptions, as they are compared: all of them, unlike those of the search. */

/** Lower-case words without punctuation; `getUser_v2` has get, user, v2. */
export const wordsIn = (text: string): string[] =>
  text
    .replace(/([\p{Ll}\p{N}])(\p{Lu})/gu, '$1 $2')
    .toLowerCase()
    .match(/[\p{L}\p{N}]+/gu) ?? [];
