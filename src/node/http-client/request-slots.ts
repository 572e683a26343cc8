/** Limits how many requests are sent at once; the others wait, first in, first out. */

export interface QueuedRequest {
  /** Called when the request has its slot. */
  send(): void;
}

export class RequestSlots {
  #free: number;
  /** Created when it is needed: most clients never wait. */
  #waiting: Set<QueuedRequest> | undefined;

  constructor(max: number) {
    this.#free = max;
  }

  /** Sends the request at once, or when a slot is free. */
  acquire(request: QueuedRequest): void {
    if (this.#free === 0) {
      this.#waiting ??= new Set();
      return void this.#waiting.add(request);
    }
    this.#free--;
    request.send();
  }

  /** A request is done: its slot goes to the first waiting request, before any new one. */
  release(): void {
    const next = this.#waiting?.values().next().value;
    if (next === undefined) return void this.#free++;
    this.#waiting?.delete(next);
    // Undici reports the end of a response before it frees the connection.
    setImmediate(() => next.send());
  }

  /** Drops a request that is still waiting. */
  cancel(request: QueuedRequest): void {
    this.#waiting?.delete(request);
  }
}
