/** A session as a record in a store: a head that does not change, and a field for each value that can. */
import { TenonError, type TenonErrorCode } from '../../../lib/errors/tenon-error.ts';
import type { CompatOptions } from '../../../protocol/dialects/compat-options.ts';
import { revisionFor } from '../../../protocol/dialects/founding-tasks.ts';
import type {
  ClientCapabilities,
  Implementation,
  LoggingLevel,
  ServerCapabilities,
} from '../../../protocol/generated/types/records.ts';
import type { Revision } from '../../../protocol/revision.ts';
import type { RecordFields, SessionStore } from '../../../store/session-store.ts';
import { chosenRevision, type OfferedRevisions } from '../../lifecycle/offered-revisions.ts';
import type { SessionState } from '../../lifecycle/session.ts';
import type { SessionUpdate } from '../../ports/link.ts';

type Listed = 'tools' | 'resources' | 'prompts';

/** The values that do not change after the handshake. */
interface Head {
  readonly revision: string;
  readonly client: Implementation;
  readonly capabilities: ClientCapabilities;
  /** The lists whose changes the client is notified of. */
  readonly lists: readonly Listed[];
  /** How the client differs from the specification, if that was chosen for it alone. */
  readonly compat?: CompatOptions;
}

const lists: readonly Listed[] = ['tools', 'resources', 'prompts'];
const watched = 'watch ';

/** The record of a new session; `holder` is the endpoint that notifies it, `changed` the last change before it began. */
export function newRecord(
  { id, compat }: Revision,
  client: Implementation,
  capabilities: ClientCapabilities,
  declared: ServerCapabilities,
  holder: string,
  changed: number | undefined,
): RecordFields {
  const notified = lists.filter((list) => declared[list]?.listChanged === true);
  const head: Head = { revision: id, client, capabilities, lists: notified, ...(compat && { compat }) };
  return { head: JSON.stringify(head), holder, ...(changed !== undefined && { changed: String(changed) }) };
}

/** The fields that store an update of a session; `changed` is the last change before it. */
export function fieldsOf(
  update: SessionUpdate,
  changed: number | undefined,
): Readonly<Record<string, string | undefined>> {
  if (update.kind === 'initialized') return ready;
  if (update.kind === 'level') return { level: update.level };
  if (update.kind === 'unwatch') return { [watched + update.uri]: undefined };
  // A client that subscribes is ready, also if its notification was lost with a request or a node.
  return { ...ready, [watched + update.uri]: String(changed ?? '') };
}

/** Set once the client has sent `notifications/initialized`, or has subscribed to a resource. */
export const ready = { ready: '' };

/** The state of a session from its record; `undefined` if its revision is not served here. */
export function sessionStateOf(fields: RecordFields, served: OfferedRevisions): SessionState | undefined {
  const head = JSON.parse(fields.head ?? '{}') as Partial<Head>;
  const offered = served.revisions.find(({ id }) => id === head.revision);
  if (offered === undefined) return undefined;
  const { client, capabilities = {}, lists: notified = [] } = head;
  const revision = revisionFor(chosenRevision(served, offered, head.compat), capabilities);
  const logLevel = (fields.level ?? 'info') as LoggingLevel;
  const uris = Object.keys(fields).filter((name) => name.startsWith(watched));
  return {
    is: fields.ready === undefined ? 'initializing' : 'ready',
    caller: { revision, client, capabilities, logLevel },
    declared: Object.fromEntries(notified.map((list) => [list, { listChanged: true }])),
    subscriptions: uris.length === 0 ? undefined : new Set(uris.map((name) => name.slice(watched.length))),
  };
}

/** Whether there were changes, up to the one of this number, since the client subscribed. */
export const changedSince = (fields: RecordFields, uri: string, last: number | undefined): boolean =>
  last !== undefined && Number(fields[watched + uri]) < last;

/** The record of a session. One whose key was removed after a rotation is gone: its client begins another session. */
export async function readWithKeys(
  sessions: SessionStore,
  key: string,
  warn: (warning: TenonError) => void,
): Promise<RecordFields | undefined> {
  try {
    return await sessions.read(key);
  } catch (cause) {
    if (storeCodeOf(cause) !== 'store-key-missing') throw cause;
    warn(storeFailed(cause));
    return undefined;
  }
}

/** The warning that the store failed, by the code of a store that gives one. */
export function storeFailed(cause: unknown, requestId?: string): TenonError {
  const details = requestId === undefined ? {} : { requestId };
  return new TenonError(storeCodeOf(cause), 'The session store failed.', { cause, details });
}

/** Why the store failed. */
export const storeCodeOf = (cause: unknown): TenonErrorCode =>
  cause instanceof TenonError && cause.code in storeCodes ? cause.code : 'store-failed';

const storeCodes: Partial<Record<TenonErrorCode, true>> = {
  'store-busy': true,
  'store-timeout': true,
  'store-key-missing': true,
  'store-tampered': true,
};
