/** The revisions that a server offers, in the dialects chosen for it. */
import { TenonError } from '../../jsonrpc/errors.ts';
import {
  areDialects,
  type DialectChoice,
  dialectNames,
  errorCodeTableNames,
  isErrorCodeTable,
  withDialects,
} from '../../protocol/dialects/dialects.ts';
import type { Extension } from '../../protocol/extensions/extension.ts';
import { withExtensions } from '../../protocol/extensions/with-extensions.ts';
import type { Revision } from '../../protocol/revision.ts';
import { chosenRevisions } from '../../protocol/revisions/accepted.ts';
import type { RevisionId } from '../../protocol/revisions/revisions.ts';

export interface RevisionOptions extends DialectChoice {
  /** The revisions to serve; all of them by default. */
  readonly revisions?: readonly RevisionId[];
  /** What a client hears that asks for a revision which is not served: the newest that is, or an error. */
  readonly onMismatch?: 'offer' | 'refuse';
}

export interface OfferedRevisions {
  /** Newest first. */
  readonly revisions: readonly Revision[];
  readonly onMismatch: 'offer' | 'refuse';
  /** Those whose messages the revisions know. */
  readonly extensions: readonly Extension[];
}

export function createOfferedRevisions(
  options: RevisionOptions = {},
  extensions: readonly Extension[] = [],
): OfferedRevisions {
  checkRevisionOptions(options);
  const { revisions, onMismatch = 'offer', ...dialects } = options;
  const chosen = chosenRevisions(revisions).map((revision) => withDialects(revision, dialects));
  return { revisions: chosen.map((revision) => withExtensions(revision, extensions)), onMismatch, extensions };
}

function checkRevisionOptions({ revisions, onMismatch, dialects, errorCodes }: RevisionOptions): void {
  if (revisions !== undefined && !Array.isArray(revisions))
    throw refused('revisions: not a list.', 'a list of revisions');
  if (onMismatch !== undefined && onMismatch !== 'offer' && onMismatch !== 'refuse') {
    throw refused('onMismatch: not known.', "'offer' or 'refuse'");
  }
  if (dialects !== undefined && !areDialects(dialects)) {
    throw refused('dialects: not a list of known ones.', `a list of ${dialectNames.join(', ')}`);
  }
  if (errorCodes !== undefined && !isErrorCodeTable(errorCodes)) {
    throw refused('errorCodes: not a known table.', `one of ${errorCodeTableNames.join(', ')}`);
  }
}

const refused = (text: string, fix: string): TenonError =>
  new TenonError('invalid-argument', text, { hint: `Use ${fix}.` });
