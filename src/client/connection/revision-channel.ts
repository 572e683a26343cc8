/** A channel that knows the protocol: the revision in use, and which requests are cancelled. */
import type { RequestId } from '../../jsonrpc/message.ts';
import type { Revision } from '../../protocol/revision.ts';
import type { Transport } from '../../transport/channel.ts';

/** Every channel is one; those that only carry frames leave all of it out. */
export interface RevisionChannel extends Transport {
  /** The revision of what is sent from here on: at first the one offered, then the one agreed on. */
  setRevision?(revision: Revision): void;
  /** A request was cancelled. Returns whether the channel itself lets the server know, so that no message is needed. */
  abandon?(id: RequestId): boolean;
  /** The request whose response holds the frame that is being delivered, where frames come in responses. */
  readonly respondsTo?: RequestId | undefined;
}
