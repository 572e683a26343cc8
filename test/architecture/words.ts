/** Words that only the authors of this project would understand, and what to write instead (docs/words.md is the glossary). */

/** Each row: words or phrases separated by commas, and the words a reader already knows. */
const table: readonly (readonly [privateWords: string, instead: string])[] = [
  ['mend, mends, mended, mending', 'fix, or hint'],
  ['tell, tells, told, telling, teller', 'send, notify, report, or distinguish'],
  ['hear, hears, heard, hearing', 'receive, listen, or a callback named onX'],
  ['whoever, nobody, somebody, anybody', 'the caller, client, server or user; no client'],
  ['road, roads', 'transport, or path'],
  ['insides', 'internals'],
  ['soundness', 'validity, or validation'],
  ['shelf, shelves', 'the name of the thing: skill index'],
  ['verdict, verdicts', 'result, outcome, or validation'],
  ['workshop', 'compiler'],
  ['neighbour, neighbours', 'what it is: the file beside it, another node'],
  ['outlet, outlets', 'event output'],
  ['doubt, doubts, doubted', 're-discovery, or uncertain'],
  ['askable', 'client feature'],
  ['take up again, takes up again, taken up again, took up again', 'resume'],
  ['give up, gives up, given up, gave up, giving up', 'cancel, abandon, or abort'],
  ['without a word', 'by default, or without an answer'],
  ['at hand', 'available, or in memory'],
  ['what it comes to, what it came to', 'result, or outcome'],
  ['let go, lets go, letting go', 'close, drop, or release'],
  ['passed over', 'dropped'],
  ['asks well', 'valid'],
  ['this is not for you', 'forbidden'],
  ['say who you are', 'authentication required'],
  ['not of the shape', 'invalid'],
];

interface PrivateWord {
  readonly pattern: RegExp;
  readonly instead: string;
}

const privateWords: readonly PrivateWord[] = table.map(([words, instead]) => ({
  pattern: new RegExp(`\\b(?:${words.split(', ').join('|')})\\b`, 'i'),
  instead,
}));

/** Identifiers are taken apart at capitals, so that `tellProgress` has the word `tell`. */
const asWords = (line: string): string => line.replace(/([a-z\d])([A-Z])/g, '$1 $2').replace(/_/g, ' ');

/** One complaint for each private word in a line, with the place and what to write instead. */
export function privateWordsIn({ path, text }: { readonly path: string; readonly text: string }): string[] {
  return text.split('\n').flatMap((line, index) => {
    const words = asWords(line);
    return privateWords.flatMap(({ pattern, instead }) => {
      const found = pattern.exec(words);
      return found === null ? [] : [`${path}:${index + 1}: "${found[0]}": write ${instead}`];
    });
  });
}
