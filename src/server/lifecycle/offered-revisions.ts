/** The revisions that a server offers, in the dialects chosen for it. */
import { type CompatOptions, withDialects } from '../../protocol/dialects/dialects.ts';
import type { ExtensionDefinition } from '../../protocol/extensions/extension.ts';
import { withExtensions } from '../../protocol/extensions/with-extensions.ts';
import type { Revision } from '../../protocol/revision.ts';
import { chosenRevisions } from '../../protocol/revisions/accepted.ts';
import type { ProtocolVersion } from '../../protocol/revisions/revisions.ts';
import { withTasks } from '../../protocol/tasks/extension-tasks.ts';

/** What the options of a server say of its revisions. */
interface RevisionSettings {
  readonly protocolVersions?: readonly ProtocolVersion[];
  readonly versionMismatch?: 'negotiate' | 'reject';
  readonly compat?: CompatOptions;
}

export interface OfferedRevisions {
  /** Newest first. */
  readonly revisions: readonly Revision[];
  readonly versionMismatch: 'negotiate' | 'reject';
  /** The extensions whose messages the revisions include. */
  readonly extensions: readonly ExtensionDefinition[];
}

export function createOfferedRevisions(
  options: RevisionSettings = {},
  extensions: readonly ExtensionDefinition[] = [],
): OfferedRevisions {
  const { protocolVersions, versionMismatch = 'negotiate', compat } = options;
  const revisions = chosenRevisions(protocolVersions, ['createServer()', 'invalid-definition']);
  const chosen = revisions.map((revision) => withTasks(withDialects(revision, compat)));
  return { revisions: chosen.map((revision) => withExtensions(revision, extensions)), versionMismatch, extensions };
}
