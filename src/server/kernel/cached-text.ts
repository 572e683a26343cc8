/** Caches the text of results that are sent again unchanged: it is written once for each revision. */
import type { Done, Outcome } from '../../protocol/neutral.ts';
import type { Revision } from '../../protocol/revision.ts';

/** A property, not an entry in a table: every other result is looked up too, and finding nothing must cost nothing. */
const texts = Symbol('texts');

interface TextCached extends Done {
  readonly [texts]: Map<Revision, string>;
}

/** A result that is sent again. It may not change from here on. */
export const withTextCache = (done: Done): Done => ({ ...done, [texts]: new Map() }) as TextCached;

/** The cached text of a result, if it has one. */
export const cachedText = (outcome: Outcome, revision: Revision): string | undefined =>
  (outcome as Partial<TextCached>)[texts]?.get(revision);

export function cacheText(outcome: Outcome, revision: Revision, text: string): void {
  (outcome as Partial<TextCached>)[texts]?.set(revision, text);
}
