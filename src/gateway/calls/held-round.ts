/** A process without sessions that has asked its caller: only this process can open the state that it has sent. */
import type { ParkedCall, ParkedCalls } from '../../forwarding/parked-calls.ts';
import { shareOf } from '../../ports/share.ts';
import type { Context } from '../../server/definition/context.ts';
import type { SourceCaller } from '../../server/ports/source-caller.ts';
import type { Lease } from '../connections/pool-ports.ts';

/** Its connection stays in use until the caller continues. */
export class HeldRound implements ParkedCall {
  readonly repeat = undefined;
  readonly #lease: Lease;
  readonly #leaveRoom: () => void;

  constructor(lease: Lease, leaveRoom: () => void) {
    this.#lease = lease;
    this.#leaveRoom = leaveRoom;
  }

  /** For the next round. */
  take(): Lease {
    this.#leaveRoom();
    return { ...this.#lease, isFresh: false };
  }

  abandoned(): void {
    this.take().release();
  }
}

type HeldRounds = ParkedCalls<HeldRound>;
type Caller = Pick<Context, 'callId'> & { readonly by: SourceCaller };

/** Whether the lease is for the next round now. Where there is no room for it, another process gets that round. */
export function holdRound(held: HeldRounds, { callId, by }: Caller, lease: Lease): boolean {
  const leaveRoom = lease.connection.isPipe ? held.reserve(shareOf(by), 0) : undefined;
  if (leaveRoom === undefined) return false;
  held.add(callId, new HeldRound(lease, leaveRoom));
  return true;
}

/** The lease of the last round; `undefined` if there is none, or its process has ended. */
export async function heldLease(held: HeldRounds, { callId }: Caller): Promise<Lease | undefined> {
  const lease = held.take(callId)?.take();
  if (lease === undefined) return undefined;
  try {
    if (lease.connection.isReady) {
      await lease.connection.lock?.admit();
      return lease;
    }
  } catch (error) {
    lease.release();
    throw error;
  }
  lease.release();
  return undefined;
}
