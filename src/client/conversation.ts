/** Requests to a server at one revision: written and read by its wire, whichever lifecycle it has. */
import { RpcError, TenonError } from '../jsonrpc/errors.ts';
import type { RequestOptions } from '../jsonrpc/outbox.ts';
import type { Peer } from '../jsonrpc/peer.ts';
import { errorName } from '../protocol/errors.ts';
import type { Done, Fields, Introduction } from '../protocol/neutral.ts';
import type { Revision } from '../protocol/revision.ts';

export interface Conversation {
  readonly revision: Revision;
  call(method: string, params?: Fields, options?: RequestOptions): Promise<Done>;
  notify(method: string, params?: Fields): void;
}

/** `introduction` goes with every request where the revision has the client introduce itself each time. */
export function createConversation(peer: Peer, revision: Revision, introduction?: Introduction): Conversation {
  const { wire } = revision;
  return {
    revision,
    async call(method, params, options) {
      const call = { method, ...(params && { params }), ...(introduction && { introduction }) };
      const written = wire.writeRequest(revision, 'client', call);
      if (!written.ok) throw new TenonError('invalid-outgoing', await written.refusal.explain());
      const result = await peer.request(method, written.value, options).catch((error) => {
        throw named(revision, error);
      });
      const read = wire.readResult(revision, 'client', method, result);
      if (!read.ok) throw new TenonError('invalid-result', await read.refusal.explain());
      if (read.value.kind === 'done') return read.value;
      throw new TenonError(
        'invalid-result',
        `${method} was answered by ${read.value.kind}, which nobody here expects.`,
      );
    },
    notify(method, params) {
      const written = wire.writeNotification(revision, 'client', { method, params });
      if (!written.ok) throw new TenonError('invalid-outgoing', written.refusal.message);
      peer.notify(method, written.value);
    },
  };
}

/** A peer's error with the name its number has in this revision. */
function named(revision: Revision, error: unknown): unknown {
  if (!(error instanceof RpcError)) return error;
  return new RpcError(error.code, error.message, error.data, errorName(revision.errorNumbers, error.code), error);
}
