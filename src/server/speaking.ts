/** The revisions that one connection may speak, in the dialects chosen for it. */
import { type DialectChoice, withDialects } from '../protocol/dialects/dialects.ts';
import type { Revision } from '../protocol/revision.ts';
import { chosenRevisions } from '../protocol/revisions/chosen.ts';
import type { RevisionId } from '../protocol/revisions/revisions.ts';

export interface SpeakingOptions extends DialectChoice {
  /** The revisions to serve; all of them by default. */
  readonly revisions?: readonly RevisionId[];
  /** What a client hears that asks for a revision which is not served: the newest that is, or an error. */
  readonly onMismatch?: 'offer' | 'refuse';
}

export interface Speaking {
  /** Newest first. */
  readonly revisions: readonly Revision[];
  readonly onMismatch: 'offer' | 'refuse';
}

export function createSpeaking({ revisions, onMismatch = 'offer', ...dialects }: SpeakingOptions = {}): Speaking {
  return { revisions: chosenRevisions(revisions).map((revision) => withDialects(revision, dialects)), onMismatch };
}
