/** A transport that knows the protocol: the revision in use, and which requests are cancelled. */
import type { RequestId } from '../../jsonrpc/message.ts';
import type { Revision } from '../../protocol/revision.ts';
import type { Transport } from '../../transport/transport.ts';

/** Every transport is one; those that only carry messages leave these members out. */
export interface RevisionTransport extends Transport {
  /** Sets the revision of later messages: first the one offered, then the one agreed on. */
  setRevision?(revision: Revision): void;
  /** Sends a batch of requests in one text; absent if the transport sends it as any other text. */
  sendBatch?(frame: string, ids: readonly RequestId[]): void;
  /** A request was cancelled. Returns whether the transport itself cancels it on the server, so that no message is needed. */
  abandon?(id: RequestId): boolean;
  /** The request in whose response the current message arrived, if messages arrive in responses. */
  readonly respondsTo?: RequestId | undefined;
}
