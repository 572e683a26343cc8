/** A session as it is kept in a store: a head that stays, and a field for each thing that may change. */
import { TenonError } from '../../../jsonrpc/errors.ts';
import type {
  ClientCapabilities,
  Implementation,
  LoggingLevel,
  ServerCapabilities,
} from '../../../protocol/generated/types/records.ts';
import type { Revision } from '../../../protocol/revision.ts';
import type { RecordFields } from '../../../store/session-store.ts';
import type { OfferedRevisions } from '../../lifecycle/offered-revisions.ts';
import type { SessionFacts } from '../../lifecycle/session.ts';
import type { LearnedFact } from '../../ports/link.ts';

type Listed = 'tools' | 'resources' | 'prompts';

/** What does not change after the handshake. */
interface Head {
  readonly revision: string;
  readonly client: Implementation;
  readonly capabilities: ClientCapabilities;
  /** The lists of whose changes the client was promised news. */
  readonly lists: readonly Listed[];
}

const lists: readonly Listed[] = ['tools', 'resources', 'prompts'];
const watched = 'watch ';

/** Heads of clients of one sort are equal: one text serves them all. Bounded, since clients say what stands in it. */
const heads = new Map<string, string>();
const mostHeads = 100;

/** What is kept of a session from its handshake on; `holder` is the endpoint that tells it of changes. */
export function newRecord(
  { id }: Revision,
  client: Implementation,
  capabilities: ClientCapabilities,
  declared: ServerCapabilities,
  holder: string,
): RecordFields {
  const told = lists.filter((list) => declared[list]?.listChanged === true);
  const head: Head = { revision: id, client, capabilities, lists: told };
  return { head: known(JSON.stringify(head)), holder };
}

function known(text: string): string {
  const before = heads.get(text);
  if (before !== undefined) return before;
  if (heads.size < mostHeads && text.length < 4096) heads.set(text, text);
  return text;
}

/** The fields by which a record says what a session has learned. */
export function fieldsOf(fact: LearnedFact): Readonly<Record<string, string | undefined>> {
  if (fact.kind === 'initialized') return ready;
  if (fact.kind === 'level') return { level: fact.level };
  return { [watched + fact.uri]: fact.kind === 'watch' ? '' : undefined };
}

/** Says that its client is ready. */
export const ready = { ready: '' };

/** A session from its record; `undefined` where its revision is not served here. */
export function factsOf(fields: RecordFields, { revisions }: OfferedRevisions): SessionFacts | undefined {
  const head = JSON.parse(fields.head ?? '{}') as Partial<Head>;
  const revision = revisions.find(({ id }) => id === head.revision);
  if (revision === undefined) return undefined;
  const { client, capabilities = {}, lists: told = [] } = head;
  const logLevel = (fields.level ?? 'info') as LoggingLevel;
  const uris = Object.keys(fields).filter((name) => name.startsWith(watched));
  return {
    is: fields.ready === undefined ? 'greeted' : 'ready',
    caller: { revision, client, capabilities, logLevel },
    declared: Object.fromEntries(told.map((list) => [list, { listChanged: true }])),
    subscriptions: uris.length === 0 ? undefined : new Set(uris.map((name) => name.slice(watched.length))),
  };
}

/** What whoever runs the server hears when a store fails. */
export const storeFailed = (cause: unknown, requestId?: string): TenonError =>
  new TenonError('store-failed', 'The store of sessions could not do what it was asked.', {
    cause,
    details: requestId === undefined ? {} : { requestId },
  });
