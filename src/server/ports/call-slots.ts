/** Slots for running calls that many connections share: those of one caller, of all it may use. */
import type { RpcError } from '../../jsonrpc/errors.ts';

export interface CallSlots {
  /** Takes a slot for a call; returns why there is none. */
  takeCall(): RpcError | undefined;
  /** Frees the slot of a call whose handler has returned. Once for each slot. */
  releaseCall(): void;
}
