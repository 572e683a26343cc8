/** Slots for running calls that many connections share: those of one caller, of all it may use. */
import type { RpcError } from '../../jsonrpc/errors.ts';

export interface CallSlots {
  /** Takes a slot for a call, or a place in the queue for one: then `call.place` is set. Returns why there is neither. */
  takeCall(call: QueuedCall): RpcError | undefined;
  /** Frees the slot of a call whose handler has returned, or its place in the queue. Once for each call. */
  releaseCall(call: QueuedCall): void;
}

/** A call that may have to wait for a slot. */
export interface QueuedCall {
  /** Its place in the queue; also after it has left the queue without a slot. */
  place: QueuePlace | undefined;
  /** It has a slot now, or has waited too long for one. */
  admitted(refused: RpcError | undefined): void;
}

export interface QueuePlace {
  /** Leaves the queue. Does nothing for a call that has left it. */
  leave(): void;
}
