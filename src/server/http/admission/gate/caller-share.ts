/** What one caller holds of an endpoint: a principal or, without one, an address. */
import type { RpcError } from '../../../../jsonrpc/errors.ts';
import type { CallSlots, QueuedCall } from '../../../ports/call-slots.ts';
import { Holding } from '../../../ports/fair-pool.ts';
import type { Place, WaitingCaller } from './waiting-calls.ts';

/** What a share needs of its gate. */
export interface SharePorts {
  takeCall(share: CallerShare, call: QueuedCall): RpcError | undefined;
  releaseCall(share: CallerShare, call: QueuedCall): void;
  takeBytes(share: Holdings, bytes: number): RpcError | undefined;
  releaseBytes(received: Holding, bytes: number): void;
}

/** What a caller, or a group of them, holds of each pool of a gate. */
export interface Holdings {
  readonly calls: Holding;
  readonly sessions: Holding;
  /** Bytes of large requests, and of what sessions hold. */
  readonly received: Holding;
  /** Calls that wait for a slot. */
  readonly places: Holding;
}

/** Holds nothing yet, and counts towards the others. */
export const heldWithin = ({ calls, sessions, received, places }: Holdings): Holdings => ({
  calls: new Holding(calls),
  sessions: new Holding(sessions),
  received: new Holding(received),
  places: new Holding(places),
});

/** A principal, or the address of a caller without one. */
type Named =
  | { readonly owner: string; readonly address?: undefined }
  | { readonly owner?: undefined; readonly address: string };

export class CallerShare implements CallSlots, Holdings, WaitingCaller {
  /** The key of the principal: what the caller opens belongs to it. */
  readonly owner: string | undefined;
  /** Whose share of a store it is: that of the principal or, without one, that of the address. */
  readonly name: string;
  readonly calls: Holding;
  readonly sessions: Holding;
  readonly received: Holding;
  readonly places: Holding;
  readonly waiting = new Set<Place>();
  readonly #ports: SharePorts;

  constructor(ports: SharePorts, caller: Named, within: Holdings) {
    this.#ports = ports;
    this.owner = caller.owner;
    this.name = caller.owner === undefined ? `address ${caller.address}` : `principal ${caller.owner}`;
    const { calls, sessions, received, places } = heldWithin(within);
    this.calls = calls;
    this.sessions = sessions;
    this.received = received;
    this.places = places;
  }

  takeCall(call: QueuedCall): RpcError | undefined {
    return this.#ports.takeCall(this, call);
  }

  releaseCall(call: QueuedCall): void {
    this.#ports.releaseCall(this, call);
  }

  /** Counts bytes that the endpoint holds for it; returns why it may not. */
  takeBytes(bytes: number): RpcError | undefined {
    return this.#ports.takeBytes(this, bytes);
  }

  releaseBytes(bytes: number): void {
    this.#ports.releaseBytes(this.received, bytes);
  }

  /** Whether it holds nothing. */
  get isIdle(): boolean {
    const { calls, sessions, received, places } = this;
    return calls.count === 0 && sessions.count === 0 && received.count === 0 && places.count === 0;
  }
}

/** Fewer idle shares than this stay in a table: a caller with one call after another gets no new share for each. */
const leastSwept = 1024;

/** The shares of callers by name. It grows with the callers that hold something, not with those that have. */
export class ShareTable {
  readonly #shares = new Map<string, CallerShare>();
  #sweepAt = leastSwept;

  get size(): number {
    return this.#shares.size;
  }

  get(name: string): CallerShare | undefined {
    return this.#shares.get(name);
  }

  /** Each sweep that finds no idle share doubles the number of shares until the next: adding one stays cheap. */
  add(name: string, share: CallerShare): CallerShare {
    if (this.#shares.size >= this.#sweepAt) {
      for (const [other, { isIdle }] of this.#shares) if (isIdle) this.#shares.delete(other);
      this.#sweepAt = Math.max(leastSwept, this.#shares.size * 2);
    }
    this.#shares.set(name, share);
    return share;
  }
}
