/** Results that stay the same until something changes: their text is written once for each revision. */
import type { Done, Outcome } from '../../protocol/neutral.ts';
import type { Revision } from '../../protocol/revision.ts';

/** A property, not an entry in a table: of every other result it is asked too, and finding nothing has to cost nothing. */
const texts = Symbol('texts');

interface TextCached extends Done {
  readonly [texts]: Map<Revision, string>;
}

/** A result that comes again. Nobody may change it from here on. */
export const withTextCache = (done: Done): Done => ({ ...done, [texts]: new Map() }) as TextCached;

/** The text of a result, where it is one that lasts and was written before. */
export const cachedText = (outcome: Outcome, revision: Revision): string | undefined =>
  (outcome as Partial<TextCached>)[texts]?.get(revision);

export function cacheText(outcome: Outcome, revision: Revision, text: string): void {
  (outcome as Partial<TextCached>)[texts]?.set(revision, text);
}
