/** The revisions that a server offers, in the dialects chosen for all its clients or for each. */
import { RpcError } from '../../jsonrpc/errors.ts';
import { checkOptions } from '../../lib/options/option-rules.ts';
import type { Fields } from '../../lib/values/is.ts';
import type { CompatOptions, ConnectingClient, ServerCompat } from '../../protocol/dialects/compat-options.ts';
import { checkCompat, clientCompatRule } from '../../protocol/dialects/compat-rule.ts';
import { withDialects } from '../../protocol/dialects/dialects.ts';
import type { ExtensionDefinition } from '../../protocol/extensions/extension.ts';
import { withExtensions } from '../../protocol/extensions/with-extensions.ts';
import type { Revision } from '../../protocol/revision.ts';
import { chosenRevisions } from '../../protocol/revisions/accepted.ts';
import type { ProtocolVersion } from '../../protocol/revisions/revisions.ts';
import { withTasks } from '../../protocol/tasks/extension-tasks.ts';
import type { Serving } from '../kernel/serving.ts';

/** What the options of a server say of its revisions. */
interface RevisionSettings {
  readonly protocolVersions?: readonly ProtocolVersion[];
  readonly versionMismatch?: 'negotiate' | 'reject';
  readonly compat?: ServerCompat;
}

export interface OfferedRevisions {
  /** Newest first. */
  readonly revisions: readonly Revision[];
  readonly versionMismatch: 'negotiate' | 'reject';
  /** The extensions whose messages the revisions include. */
  readonly extensions: readonly ExtensionDefinition[];
  /** The revisions of the specification, without dialects and extensions. */
  readonly specified: readonly Revision[];
  /** Chooses the dialects of each client, where they are not the same for all. */
  readonly compatFor?: Extract<ServerCompat, (...args: never[]) => unknown>;
  /** The revisions of single clients that were needed so far. */
  readonly ofClients: Map<string, Revision>;
}

export function createOfferedRevisions(
  options: RevisionSettings = {},
  extensions: readonly ExtensionDefinition[] = [],
): OfferedRevisions {
  const { protocolVersions, versionMismatch = 'negotiate', compat } = options;
  const specified = chosenRevisions(protocolVersions, ['createServer()', 'invalid-definition']);
  checkCompat('createServer()', compat, specified, 'invalid-definition');
  return offer({ specified, extensions, versionMismatch }, compat);
}

/** The same revisions for the clients of one connection or endpoint. `of` is the function whose option it is. */
export function withCompat(offered: OfferedRevisions, compat: ServerCompat | undefined, of: string): OfferedRevisions {
  if (compat === undefined) return offered;
  checkCompat(of, compat, offered.specified);
  return offer(offered, compat);
}

function offer(
  { specified, extensions, versionMismatch }: Pick<OfferedRevisions, 'specified' | 'extensions' | 'versionMismatch'>,
  compat: ServerCompat | undefined,
): OfferedRevisions {
  const isForEach = typeof compat === 'function';
  return {
    revisions: specified.map((revision) => inDialect(revision, isForEach ? undefined : compat, extensions)),
    versionMismatch,
    extensions,
    specified,
    ...(isForEach && { compatFor: compat }),
    ofClients: new Map(),
  };
}

const inDialect = (
  revision: Revision,
  compat: CompatOptions | undefined,
  extensions: readonly ExtensionDefinition[],
): Revision => withExtensions(withTasks(withDialects(revision, compat)), extensions);

/** The revision for a client that sends `initialize`; an error if the function that chooses its dialects failed. */
export function revisionOfClient(
  offered: OfferedRevisions,
  revision: Revision,
  { clientInfo, capabilities, protocolVersion }: Readonly<Fields>,
  failed: Serving['failed'],
): Revision | RpcError {
  const { compatFor } = offered;
  if (compatFor === undefined) return revision;
  try {
    const compat = compatFor({ clientInfo, capabilities, protocolVersion } as unknown as ConnectingClient);
    checkOptions('compat()', { returned: compat }, { returned: clientCompatRule });
    return chosenRevision(offered, revision, compat);
  } catch (error) {
    failed(error, { method: 'initialize', target: '' });
    return RpcError.from(error);
  }
}

/** The revision with dialects that were chosen for one client, now or when its session began. */
export function chosenRevision(offered: OfferedRevisions, revision: Revision, compat: CompatOptions = {}): Revision {
  const { dialects = [], errorCodes } = compat;
  if (dialects.length === 0 && errorCodes === undefined) return revision;
  const key = JSON.stringify([revision.id, [...dialects].sort(), errorCodes]);
  const known = offered.ofClients.get(key);
  if (known !== undefined) return known;
  const specified = offered.specified.find(({ id }) => id === revision.id) ?? revision;
  const created = Object.freeze({ ...inDialect(specified, compat, offered.extensions), compat });
  offered.ofClients.set(key, created);
  return created;
}
