/** Words of a shell command, quoted where they need it. A server may have written them: none is ever more than a word. */

/** Characters that a terminal would act on when they are pasted. */
const control = /\p{Cc}/u;

export function quoted(word: string): string {
  if (/^[\w@%+=:,./-]+$/.test(word)) return word;
  if (control.test(word)) return `$'${word.replace(/['\\]|\p{Cc}/gu, escaped)}'`;
  return `'${word.replaceAll("'", `'\\''`)}'`;
}

/** As bash, zsh and ksh read it between `$'` and `'`. */
const escaped = (char: string): string =>
  control.test(char) ? `\\u${char.charCodeAt(0).toString(16).padStart(4, '0')}` : `\\${char}`;

/** A word that ends in a variable, which the shell reads. */
export const withVariable = (text: string, variable: string): string =>
  `"${text.replace(/["\\`$]/g, '\\$&')}$${variable}"`;
