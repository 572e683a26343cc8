/** Results that stay the same until something changes: their text is written once for each revision. */
import type { Done, Outcome } from '../protocol/neutral.ts';
import type { Revision } from '../protocol/revision.ts';

const texts = new WeakMap<object, Map<Revision, string>>();

/** Marks a result as one that comes again. Nobody may change it from here on. */
export function lasting(done: Done): Done {
  texts.set(done, new Map());
  return done;
}

/** The text of a result, taken from where it was written before if it is one that lasts. */
export function writtenOnce(outcome: Outcome, revision: Revision, write: () => string | undefined): string | undefined {
  const known = texts.get(outcome);
  const text = known?.get(revision) ?? write();
  if (known !== undefined && text !== undefined) known.set(revision, text);
  return text;
}
