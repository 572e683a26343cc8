/** A round of a call that this node has, whose caller waits at another one. */
import type { ForwardedCall } from '../../forwarding/forwarded-call.ts';
import type { RpcError } from '../../jsonrpc/errors.ts';
import type { Deadline } from '../../lib/time/deadlines.ts';
import { pause } from '../../lib/time/pause.ts';
import { runInBackground } from '../../lib/values/maybe-promise.ts';
import { done } from '../../server/features/invocation.ts';
import { lostMs, type RoundPorts } from './awaited-round.ts';
import { RoundNotifications } from './round-notifications.ts';
import type { Round, RoundOutcome } from './round-records.ts';
import { RoundRun } from './round-run.ts';

/** An open call of this node. */
export interface OpenCall {
  readonly call: ForwardedCall;
  /** The error for the caller. */
  shown(error: unknown): RpcError;
}

/** How often the record gets a sign that the call runs. */
const signMs = 3000;

/** Between two attempts to store the outcome. */
const againMs = 1000;

export class TakenRound {
  readonly #ports: RoundPorts;
  readonly #id: string;
  readonly #open: OpenCall;
  readonly #run: RoundRun;
  readonly #notifications: RoundNotifications;
  readonly #closed = new AbortController();
  #signs = 0;
  #next: Deadline | undefined;
  #isLeft = false;

  constructor(ports: RoundPorts, id: string, round: Round, open: OpenCall) {
    this.#ports = ports;
    this.#id = id;
    this.#open = open;
    this.#notifications = new RoundNotifications(id, ports.messages);
    this.#run = new RoundRun(round, (notification) => this.#notifications.add(notification));
  }

  /** Resolves when the record has the outcome. */
  async run(): Promise<void> {
    this.#sign();
    const outcome = await this.#outcome();
    await this.#notifications.sent();
    await this.#store(outcome);
    this.close();
    if (!this.#isLeft) await this.#ports.messages.publish({ kind: 'ended', id: this.#id });
  }

  /** The caller has left, and deletes its record. */
  left(reason: string): void {
    this.#isLeft = true;
    this.#run.cancel(reason);
  }

  /** The caller may have left. */
  look(): void {
    const { messages } = this.#ports;
    runInBackground(
      () => this.#look(),
      (cause) => messages.failed(cause),
    );
  }

  close(): void {
    this.#closed.abort();
    if (this.#next !== undefined) this.#ports.deadlines.cancel(this.#next);
  }

  async #outcome(): Promise<RoundOutcome> {
    try {
      return done(await this.#open.call.continue(this.#run));
    } catch (error) {
      return this.#run.ending ?? this.#open.shown(error);
    }
  }

  #sign(): void {
    const { records, deadlines, messages } = this.#ports;
    runInBackground(
      async () => {
        await records.take(this.#id, ++this.#signs);
        await this.#look();
      },
      (cause) => messages.failed(cause),
    );
    if (!this.#closed.signal.aborted) this.#next = deadlines.add(signMs, () => this.#sign(), false);
  }

  async #look(): Promise<void> {
    if ((await this.#ports.records.read(this.#id)) === undefined) this.left('The caller has left.');
  }

  /** As long as the other node waits. */
  async #store(outcome: RoundOutcome): Promise<void> {
    const { records, deadlines, messages } = this.#ports;
    for (let waitedMs = 0; waitedMs < lostMs; waitedMs += againMs) {
      try {
        return await (this.#isLeft ? undefined : records.end(this.#id, outcome));
      } catch (cause) {
        messages.failed(cause);
        if (this.#closed.signal.aborted) return;
        await pause(deadlines, againMs, this.#closed.signal);
      }
    }
  }
}
