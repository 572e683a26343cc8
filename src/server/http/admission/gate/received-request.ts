/** A large request: its bytes count for its sender while it arrives, and until it is answered and its calls have ended. */
import type { RpcError } from '../../../../jsonrpc/errors.ts';
import type { LargeRequest } from '../../message.ts';
import type { CallerShare } from './caller-share.ts';

/** Smaller requests do not count: the number of calls limits what they take. */
export const smallRequest = 16 * 1024;

export class ReceivedRequest implements LargeRequest {
  readonly #caller: CallerShare;
  #bytes = 0;
  /** The request itself and its calls. */
  #uses = 1;

  constructor(caller: CallerShare) {
    this.#caller = caller;
  }

  grow(bytes: number): RpcError | undefined {
    const refused = this.#uses === 0 ? undefined : this.#caller.takeBytes(bytes - this.#bytes);
    if (refused === undefined && this.#uses > 0) this.#bytes = bytes;
    return refused;
  }

  use(): void {
    this.#uses++;
  }

  /** It is answered or its client has disconnected; or one of its calls has ended. */
  closed(): void {
    if (--this.#uses === 0) this.#caller.releaseBytes(this.#bytes);
  }
}
