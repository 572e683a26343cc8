/** A channel that takes part in the protocol: it hears which revision is spoken, and what else it cannot see in frames. */
import type { RequestId } from '../../jsonrpc/message.ts';
import type { Revision } from '../../protocol/revision.ts';
import type { Channel } from '../../transport/channel.ts';

/** Every channel is one; those that carry frames as they are leave all of it out. */
export interface RevisionChannel extends Channel {
  /** The revision of what is sent from here on: at first the one offered, then the one agreed on. */
  setRevision?(revision: Revision): void;
  /** A request was given up. Says whether the channel lets the server know by itself, so that no message is needed. */
  abandon?(id: RequestId): boolean;
  /** The request in whose response the frame stands that is being delivered just now, where frames come so. */
  readonly respondsTo?: RequestId | undefined;
}
