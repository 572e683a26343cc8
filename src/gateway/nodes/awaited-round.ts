/** A round of a call that another node has: its caller waits here. */
import { callLost } from '../../forwarding/reply-errors.ts';
import type { Deadline, Deadlines } from '../../lib/time/deadlines.ts';
import { createDeferred } from '../../lib/values/deferred.ts';
import { runInBackground } from '../../lib/values/maybe-promise.ts';
import { StorePoll } from '../../server/http/session/nodes/store-poll.ts';
import type { NodeMessages } from './node-messages.ts';
import type { Round, RoundOutcome, RoundRecords } from './round-records.ts';

/**
 * How long a caller whose call another node has waits without a sign of that node. It sends one every 3 seconds.
 * @limit gateway
 * @beyond the caller gets `data.outcome` `unknown`
 * @code outcome-unknown
 */
export const lostMs = 10_000;

export interface RoundPorts {
  readonly records: RoundRecords;
  readonly messages: NodeMessages;
  readonly deadlines: Deadlines;
}

export class AwaitedRound {
  readonly id = crypto.randomUUID();
  readonly #ports: RoundPorts;
  readonly #round: Round;
  readonly #signal: AbortSignal;
  readonly #outcome = createDeferred<RoundOutcome>();
  readonly #poll: StorePoll;
  readonly #onAbort = (): void => this.#leave(String(this.#signal.reason));
  #lost: Deadline | undefined;
  #taken: string | undefined;
  #isStored = false;
  #isOver = false;

  /** `signal` aborts when the caller has left. */
  constructor(ports: RoundPorts, round: Round, signal: AbortSignal) {
    this.#ports = ports;
    this.#round = round;
    this.#signal = signal;
    this.#poll = new StorePoll({
      deadlines: ports.deadlines,
      isWaiting: () => !this.#isOver,
      read: () => this.#look(),
      failed: (cause) => ports.messages.failed(cause),
    });
  }

  /** Resolves with an error if the other node does not run the call any more; rejects when the caller has left. */
  outcome(): Promise<RoundOutcome> {
    this.#expectSign();
    this.#signal.addEventListener('abort', this.#onAbort, { once: true });
    if (this.#signal.aborted) this.#onAbort();
    else this.#poll.now();
    return this.#outcome.promise;
  }

  /** There may be an outcome. */
  look(): void {
    if (!this.#isOver) this.#poll.now();
  }

  /** The other node is not awaited any more. */
  close(): void {
    this.#settle(callLost());
  }

  /** Until the other node has it, the message is sent again every second: it may be lost. */
  async #look(): Promise<void> {
    const { records, messages } = this.#ports;
    if (!this.#isStored) await records.create(this.id, this.#round);
    const stored = this.#isStored ? await records.read(this.id) : undefined;
    this.#isStored = true;
    // The caller may have left while the record was being created.
    if (this.#isOver) return records.delete(this.id);
    if (stored?.outcome !== undefined) return this.#received(stored.outcome);
    if (stored?.taken === undefined)
      return messages.publish({ kind: 'answered', id: this.id, callId: this.#round.callId });
    if (stored.taken === this.#taken) return;
    this.#taken = stored.taken;
    this.#expectSign();
  }

  #received(outcome: RoundOutcome): void {
    const { records, messages } = this.#ports;
    this.#settle(outcome);
    runInBackground(
      () => records.delete(this.id),
      (cause) => messages.failed(cause),
    );
  }

  #expectSign(): void {
    const { deadlines } = this.#ports;
    if (this.#lost !== undefined) deadlines.cancel(this.#lost);
    this.#lost = deadlines.add(lostMs, () => this.#leave('The caller has waited too long.'), false);
  }

  /** The other node ends the call, if it still runs it. Without one nothing else would delete the record. */
  #leave(reason: string): void {
    const { records, messages } = this.#ports;
    this.#settle(callLost());
    runInBackground(
      async () => {
        await records.delete(this.id);
        await messages.publish({ kind: 'left', id: this.id, reason });
      },
      (cause) => messages.failed(cause),
    );
  }

  #settle(outcome: RoundOutcome): void {
    this.#isOver = true;
    this.#poll.stop();
    if (this.#lost !== undefined) this.#ports.deadlines.cancel(this.#lost);
    this.#signal.removeEventListener('abort', this.#onAbort);
    if (this.#signal.aborted) this.#outcome.reject(this.#signal.reason);
    else this.#outcome.resolve(outcome);
  }
}
