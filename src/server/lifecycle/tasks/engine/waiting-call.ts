/** A call that waits for the first run of its task: it gets the outcome if the run ends soon, and the task if not. */
import type { Deadline } from '../../../../lib/time/deadlines.ts';
import type { Settled } from '../../../../ports/call-outcome.ts';
import type { Notification } from '../../../../protocol/neutral.ts';
import type { ProgressUpdate } from '../../../../protocol/progress.ts';
import type { CallPorts } from '../../../features/call-ports.ts';
import type { Serving } from '../../../kernel/serving.ts';
import type { LeasedTask } from './leased-task.ts';
import type { TaskRecord } from './task-records.ts';

/** The call, as its connection knows it. */
export interface ConnectedCall {
  readonly ports: CallPorts;
  readonly progressToken: unknown;
  /** Whether its client has cancelled it, or has disconnected. */
  readonly isCancelled: boolean;
  /** Whether a repeat of the call finds its task, so that the run goes on without the client. */
  readonly hasKey: boolean;
  /** Answers with the task. */
  announce(record: TaskRecord): void;
}

/** How soon it is tried again to store a task; meanwhile the call waits for its outcome, as any other. */
const againMs = 1000;

export class WaitingCall {
  readonly #leased: LeasedTask;
  readonly #serving: Pick<Serving, 'deadlines' | 'failed'>;
  readonly #onForsaken: () => Promise<void>;
  #call: ConnectedCall | undefined;
  #deadline: Deadline;
  #announcing: Promise<boolean> | undefined;

  /** `onForsaken` is called if no client waits for the outcome, nor can find it later. */
  constructor(
    call: ConnectedCall,
    leased: LeasedTask,
    serving: Pick<Serving, 'deadlines' | 'failed'>,
    answerWithinMs: number,
    onForsaken: () => Promise<void>,
  ) {
    this.#call = call;
    this.#leased = leased;
    this.#serving = serving;
    this.#onForsaken = onForsaken;
    this.#deadline = serving.deadlines.add(answerWithinMs, () => void this.announce());
  }

  /** Absent once it is answered. */
  get open(): ConnectedCall | undefined {
    return this.#call;
  }

  get isAnnouncing(): boolean {
    return this.#announcing !== undefined;
  }

  emit(notification: Notification): void {
    this.#call?.ports.emit(notification);
  }

  /** Progress is sent while the response is open. */
  progressed(update: ProgressUpdate): void {
    const { progressToken } = this.#call ?? {};
    if (progressToken !== undefined)
      this.emit({ method: 'notifications/progress', params: { progressToken, ...update } });
  }

  answer(settled: Settled): void {
    this.#close()?.ports.settled(settled);
  }

  /** Answers with the task as it was last written. */
  answerWithTask(): void {
    this.#close()?.announce(this.#leased.record);
  }

  /** Stores the task, and answers with it. False if it cannot be stored now. */
  announce(): Promise<boolean> {
    this.#announcing ??= this.#announce().finally(() => {
      this.#announcing = undefined;
    });
    return this.#announcing;
  }

  async #announce(): Promise<boolean> {
    if (this.#call === undefined) return true;
    if (!this.#isForsaken && !(await this.#isStored())) return this.#stayCall();
    if (this.#isForsaken) {
      this.#close();
      await this.#onForsaken();
    } else {
      this.answerWithTask();
      await this.#leased.announced();
    }
    return true;
  }

  get #isForsaken(): boolean {
    return this.#call?.isCancelled === true && !this.#call.hasKey;
  }

  async #isStored(): Promise<boolean> {
    try {
      return await this.#leased.store();
    } catch (error) {
      this.#serving.failed(error, { method: 'tools/call', target: '' });
      return false;
    }
  }

  #stayCall(): boolean {
    if (this.#call !== undefined) this.#deadline = this.#serving.deadlines.add(againMs, () => void this.announce());
    return false;
  }

  #close(): ConnectedCall | undefined {
    const call = this.#call;
    this.#call = undefined;
    this.#serving.deadlines.cancel(this.#deadline);
    return call;
  }
}
