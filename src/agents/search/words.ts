/** Splits text into words for the search: lower case, without endings, without words that say nothing. */

/** Words of a text of this many characters are indexed; what follows is not searched. */
const maxChars = 20_000;

const stopWords: ReadonlySet<string> = new Set(
  (
    'a an and any are as at be been being but by can could do does for from had has have he her here his how i if in into is it its just ' +
    'let like may me might my need needs no not now of off on only onto or our out over please shall she should so some ' +
    'such than that the their them then there these they this those through to too under until up us use used uses using via want ' +
    'wants was we were what when where which while who whose why will with within would you your'
  ).split(' '),
);

/** The words of a text in their order, with repeats. */
export function wordsOf(text: string): string[] {
  const parts = text
    .slice(0, maxChars)
    .normalize('NFKC')
    // `listPullRequests` and `HTTPServer` are several words.
    .replace(/(\p{Ll}|\p{N})(\p{Lu})/gu, '$1 $2')
    .replace(/(?<=\p{Lu})(?=\p{Lu}\p{Ll})/gu, ' ')
    .toLowerCase()
    .match(/[\p{L}\p{M}\p{N}]+/gu);
  return (parts ?? []).filter((word) => word.length > 1 && !stopWords.has(word)).map(stem);
}

/** Endings of English words, and what remains of them. The first that fits is taken. */
const endings: readonly (readonly [ending: string, becomes: string, least: number])[] = [
  ['ies', 'y', 2],
  ['sses', 'ss', 2],
  ['xes', 'x', 2],
  ['ches', 'ch', 2],
  ['shes', 'sh', 2],
  ['ss', 'ss', 1],
  ['us', 'us', 1],
  ['is', 'is', 1],
  ['s', '', 3],
];

const laterEndings: readonly (readonly [ending: string, becomes: string, least: number])[] = [
  ['ations', '', 4],
  ['ation', '', 4],
  ['ments', '', 4],
  ['ment', '', 4],
  ['ings', '', 3],
  ['ing', '', 3],
  ['ied', 'y', 2],
  ['ed', '', 3],
  ['ly', '', 4],
];

/** A light stemmer: words of one meaning get one form, which need not be a word. */
export function stem(word: string): string {
  const singular = cut(word, endings);
  const short = cut(singular, laterEndings);
  // `running` and `stopped` double their last letter, `create` and `creating` differ by an `e`.
  const single = short !== singular && /([bdgmnprt])\1$/.test(short) ? short.slice(0, -1) : short;
  return single.length > 3 && single.endsWith('e') ? single.slice(0, -1) : single;
}

function cut(word: string, table: typeof endings): string {
  for (const [ending, becomes, least] of table)
    if (word.endsWith(ending) && word.length - ending.length >= least) return word.slice(0, -ending.length) + becomes;
  return word;
}
