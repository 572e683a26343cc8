/** The revisions that a server offers, in the dialects chosen for it. */
import { type CompatOptions, withDialects } from '../../protocol/dialects/dialects.ts';
import type { ExtensionDefinition } from '../../protocol/extensions/extension.ts';
import { withExtensions } from '../../protocol/extensions/with-extensions.ts';
import type { Revision } from '../../protocol/revision.ts';
import { chosenRevisions } from '../../protocol/revisions/accepted.ts';
import type { ProtocolVersion } from '../../protocol/revisions/revisions.ts';

export interface RevisionOptions {
  /** The revisions to serve; all of them by default. */
  readonly protocolVersions?: readonly ProtocolVersion[];
  /** What a client hears that asks for a revision which is not served: the newest that is, or an error. */
  readonly versionMismatch?: 'negotiate' | 'reject';
  /** For peers that differ from the specification; see the page on dialects. */
  readonly compat?: CompatOptions;
}

export interface OfferedRevisions {
  /** Newest first. */
  readonly revisions: readonly Revision[];
  readonly versionMismatch: 'negotiate' | 'reject';
  /** Those whose messages the revisions know. */
  readonly extensions: readonly ExtensionDefinition[];
}

export function createOfferedRevisions(
  options: RevisionOptions = {},
  extensions: readonly ExtensionDefinition[] = [],
): OfferedRevisions {
  const { protocolVersions: revisions, versionMismatch = 'negotiate', compat } = options;
  const chosen = chosenRevisions(revisions).map((revision) => withDialects(revision, compat));
  return { revisions: chosen.map((revision) => withExtensions(revision, extensions)), versionMismatch, extensions };
}
