/** The calls of one connection that are under way: bounded, cancelled by id, and waited for when the connection drains. */
import { IdTable } from '../jsonrpc/id-table.ts';
import type { RequestId } from '../jsonrpc/message.ts';
import type { CallUnderWay } from './link.ts';

export interface Calls {
  /**
   * Takes a call in; `undefined` where no more may run at once, or the connection is about to close. What only waits,
   * as listening does, does not count among those that run.
   */
  begin(id: RequestId, counts: boolean): CallUnderWay | undefined;
  /** A call has ended; says whether it was still under way, and not cancelled before. */
  end(id: RequestId, call: CallUnderWay): boolean;
  /** Cancels a call; false where none of this id is under way. */
  cancel(id: RequestId, reason: unknown): boolean;
  cancelAll(reason: unknown): void;
  /** How many run, those included that were cancelled and have yet to end. */
  readonly running: number;
  /** Lets no more in, and says when the last one has ended. */
  drain(drained: () => void): void;
}

function giveUp(call: CallUnderWay, reason: unknown): void {
  call.cancelled = true;
  call.present?.cancel(reason);
}

export function createCalls(maxConcurrent: number): Calls {
  const calls = new IdTable<CallUnderWay>();
  /** Those that were cancelled count until their handlers have ended: cancelling makes no room by itself. */
  let running = 0;
  let state: { is: 'open' } | { is: 'draining'; drained: () => void } = { is: 'open' };
  const left = (): void => {
    if (state.is === 'draining' && calls.size === 0) state.drained();
  };
  return {
    get running() {
      return running;
    },
    begin(id, counts) {
      if (state.is === 'draining' || (counts && running >= maxConcurrent)) return undefined;
      if (counts) running++;
      const call: CallUnderWay = { present: undefined, counts, cancelled: false };
      calls.set(id, call);
      return call;
    },
    end(id, call) {
      if (call.counts) running--;
      call.counts = false;
      if (calls.get(id) !== call) return false;
      calls.delete(id);
      // The answer leaves before the connection does.
      if (state.is === 'draining') queueMicrotask(left);
      return true;
    },
    cancel(id, reason) {
      const call = calls.get(id);
      // Out of the table first: what ends at once by being cancelled is not answered either.
      calls.delete(id);
      if (call !== undefined) giveUp(call, reason);
      left();
      return call !== undefined;
    },
    cancelAll(reason) {
      for (const id of calls.ids()) {
        const call = calls.get(id);
        if (call !== undefined) giveUp(call, reason);
      }
    },
    drain(drained) {
      state = { is: 'draining', drained };
      left();
    },
  };
}
