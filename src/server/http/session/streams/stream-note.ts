/** What a stream begins with in the store: the node that writes it, and the requests it answers, for the case that the node dies. */
import type { RpcError } from '../../../../jsonrpc/errors.ts';
import type { RequestId } from '../../../../jsonrpc/message.ts';
import { cutOffData } from '../../../../protocol/error-data.ts';
import { rpcError } from '../../../../protocol/errors.ts';
import type { Revision } from '../../../../protocol/revision.ts';
import type { StoredEvent } from '../../../../store/event-store.ts';

export interface StreamNote {
  readonly node: string;
  /** The ids of the requests whose responses are sent on the stream. */
  readonly ids: readonly RequestId[];
}

/**
 * Characters of the ids of the requests that a stream answers, with a shared store. Ids of a batch can be long.
 * @limit HTTP
 * @beyond the stream of a dead node ends without responses
 */
const maxNoteChars = 8192;

export function writeNote(node: string, ids: readonly RequestId[]): string {
  const text = JSON.stringify({ node, ids });
  return text.length > maxNoteChars ? JSON.stringify({ node, ids: [] }) : text;
}

export function readNote(text: string | undefined): StreamNote | undefined {
  return text === undefined ? undefined : (JSON.parse(text) as StreamNote);
}

/** The ids that no event of the stream responds to. */
export function unanswered(ids: readonly RequestId[], events: readonly StoredEvent[]): readonly RequestId[] {
  const answered = new Set(events.map(({ data }) => answeredId(data)));
  return ids.filter((id) => !answered.has(id));
}

function answeredId(data: string): unknown {
  if (data === '') return undefined;
  const message = JSON.parse(data) as { readonly id?: unknown; readonly method?: unknown };
  return message.method === undefined ? message.id : undefined;
}

/** The responses to requests whose own are lost. They have begun, so the client must not repeat them by itself. */
export function lostResponses(revision: Revision, ids: readonly RequestId[], lost: RpcError): readonly string[] {
  const error = revision.wire.writeError(revision, lost);
  return ids.map((id) => JSON.stringify({ jsonrpc: '2.0', id, error }));
}

export const lostWithNode = rpcError(
  'server-error',
  'The node that ran this call has stopped: it may have been executed',
  cutOffData,
);

export const lostWithEvents = rpcError(
  'server-error',
  'Messages of this call could not be stored, so it cannot be resumed: it may have been executed',
  cutOffData,
);
