/** The pending calls that server requests may belong to: their time limits are paused while a request is answered. */
import type { RequestId } from '../../jsonrpc/message.ts';
import type { Peer } from '../../jsonrpc/peer.ts';

/** A server request and the pending calls that it may belong to. */
export interface OwnedRequest {
  readonly calls: Set<RequestId>;
  /** Whether the time limits of calls are paused for it. */
  pausesCalls: boolean;
  /** The last of the calls has finished; `isCancelled` if this client cancelled it. */
  readonly onOrphaned: (isCancelled: boolean) => void;
}

/** Requests during which a server has no reason to send requests to the user. */
const withoutServerRequests: ReadonlySet<string> = new Set([
  'completion/complete',
  'initialize',
  'logging/setLevel',
  'ping',
  'resources/subscribe',
  'resources/unsubscribe',
  'tasks/cancel',
  'tasks/get',
]);
const mayCauseRequests = (method: string): boolean => !withoutServerRequests.has(method) && !method.endsWith('/list');

export class OwningCalls {
  readonly #peer: Peer;
  readonly #requests = new Set<OwnedRequest>();

  constructor(peer: Peer) {
    this.#peer = peer;
  }

  /** Whether the call in whose response a request arrived has finished. */
  isOver(call: RequestId | undefined): boolean {
    return call !== undefined && !this.#peer.isPending(call);
  }

  /** Pauses the calls that a request may belong to: `call`, or any pending one if it is not known. */
  add(call: RequestId | undefined, onOrphaned: OwnedRequest['onOrphaned']): OwnedRequest {
    const peer = this.#peer;
    const calls = new Set(call === undefined ? peer.pendingIds(mayCauseRequests) : this.isOver(call) ? [] : [call]);
    const owned: OwnedRequest = { calls, pausesCalls: calls.size > 0, onOrphaned };
    this.#requests.add(owned);
    peer.onSettled((ended, isCancelled) => this.#finished(ended, isCancelled));
    if (owned.pausesCalls) peer.pause();
    return owned;
  }

  /** The request is answered, or no longer waits for an answer. */
  remove(owned: OwnedRequest): void {
    this.#requests.delete(owned);
    if (this.#requests.size === 0) this.#peer.onSettled(undefined);
    this.#resume(owned);
  }

  #resume(owned: OwnedRequest): void {
    if (!owned.pausesCalls) return;
    owned.pausesCalls = false;
    this.#peer.resume();
  }

  #finished(call: RequestId, isCancelled: boolean): void {
    for (const owned of this.#requests) {
      if (!owned.calls.delete(call)) continue;
      // Otherwise the other calls could never time out, and the request would not end with them.
      if (isCancelled || owned.calls.size === 0) this.#resume(owned);
      if (owned.calls.size === 0) owned.onOrphaned(isCancelled);
    }
  }
}
