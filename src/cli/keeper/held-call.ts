/** A call that is held open: it runs, waits for answers, or has finished. At most one command is attached to it. */
import type { Deadline, Deadlines } from '../../lib/time/deadlines.ts';
import { type HeldEvent, type HeldOutcome, sentError } from '../answers/keeper-messages.ts';
import type { Answer } from '../answers/question.ts';
import type { Question } from '../io/command.ts';

type State = { readonly is: 'running' } | { readonly is: 'finished'; readonly outcome: HeldOutcome };

interface OpenQuestion extends Question {
  readonly resolve: (answer: Answer) => void;
}

export interface HeldCallPorts {
  readonly deadlines: Deadlines;
  /** The time of day. */
  now(): number;
  readonly answerMs: number;
  /** Stores the questions, before a command gets them. */
  store(questions: readonly Question[], expires: number): Promise<void>;
  /** Forgets them, before a command gets the result. */
  forget(): Promise<void>;
  /** No command will get the result: the call is cancelled. */
  onAbandoned(reason: string): void;
  /** A command has the result, or none fetched it in time. */
  onFinished(): void;
}

type Attached = (event: HeldEvent) => void;

export class HeldCall {
  readonly #ports: HeldCallPorts;
  readonly #open = new Map<string, OpenQuestion>();
  #state: State = { is: 'running' };
  #attached: Attached | undefined;
  #deadline: Deadline | undefined;
  #expires = 0;
  #lastKey = 0;
  #reporting: Promise<void> | undefined;
  #isReportDue = false;

  constructor(ports: HeldCallPorts) {
    this.#ports = ports;
    this.#startDeadline();
  }

  /** Resolves when a command has answered. Withdrawn when the server no longer waits. */
  ask(request: Omit<Question, 'key'>, signal: AbortSignal): Promise<Answer> {
    const key = String(++this.#lastKey);
    return new Promise((resolve, reject) => {
      this.#open.set(key, { ...request, key, resolve });
      signal.addEventListener('abort', () => {
        this.#open.delete(key);
        reject(signal.reason as Error);
      });
      this.#report();
    });
  }

  /** Attaches a command; one that was attached before gets nothing more. */
  attach(attached: Attached): void {
    this.#attached = attached;
    this.#cancelDeadline();
    if (this.#state.is === 'finished') void this.#finish(this.#state.outcome);
    else this.#report();
  }

  /** Takes answers by key. Returns the key that is not open, if there is one. */
  answer(answers: Readonly<Record<string, Answer>>): string | undefined {
    const wrong = Object.keys(answers).find((key) => !this.#open.has(key));
    if (wrong !== undefined) return wrong;
    for (const [key, answer] of Object.entries(answers)) {
      this.#open.get(key)?.resolve(answer);
      this.#open.delete(key);
    }
    return undefined;
  }

  output(text: string): void {
    this.#attached?.({ kind: 'output', text });
  }

  /** An attached command has disconnected. A call that waits for no answer is cancelled then. */
  detach(attached: Attached): void {
    if (this.#attached !== attached) return;
    this.#attached = undefined;
    this.#ports.onAbandoned('the command was interrupted');
  }

  /** The call has finished. */
  setOutcome(outcome: HeldOutcome): void {
    if (this.#state.is === 'finished') return;
    this.#state = { is: 'finished', outcome };
    this.#open.clear();
    if (this.#attached === undefined) this.#startDeadline();
    else void this.#finish(outcome);
  }

  /** Sends the open questions to the attached command, together with those that follow in the same turn of the event loop. */
  #report(): void {
    this.#isReportDue = true;
    this.#reporting ??= this.#sendUntilCurrent().finally(() => {
      this.#reporting = undefined;
    });
  }

  async #sendUntilCurrent(): Promise<void> {
    try {
      while (this.#isReportDue) await this.#sendQuestions();
    } catch (error) {
      // A question that cannot be stored cannot be answered.
      this.#open.clear();
      this.setOutcome({ kind: 'failed', error: sentError(error) });
    }
  }

  async #sendQuestions(): Promise<void> {
    await new Promise((resolve) => setImmediate(resolve));
    this.#isReportDue = false;
    const questions = this.#questions();
    if (questions.length === 0 || this.#isFinished) return;
    this.#startDeadline();
    await this.#ports.store(questions, this.#expires);
    // The open questions have changed meanwhile: they are sent again.
    if (this.#isReportDue || this.#isFinished) return;
    const attached = this.#attached;
    this.#attached = undefined;
    attached?.({ kind: 'asked', questions, expires: this.#expires });
  }

  get #isFinished(): boolean {
    return this.#state.is === 'finished';
  }

  #questions(): Question[] {
    return [...this.#open.values()].map(({ key, method, params }) => ({ key, method, params }));
  }

  async #finish(outcome: HeldOutcome): Promise<void> {
    this.#cancelDeadline();
    // Otherwise questions that are being stored would stay there.
    await this.#reporting;
    await this.#ports.forget();
    this.#attached?.(outcome);
    this.#attached = undefined;
    this.#ports.onFinished();
  }

  /** While no command is attached, one must attach in time: with answers, or to fetch the result. */
  #startDeadline(): void {
    const { deadlines, now, answerMs } = this.#ports;
    this.#cancelDeadline();
    this.#expires = now() + answerMs;
    this.#deadline = deadlines.add(answerMs, () => {
      if (this.#state.is === 'finished') this.#ports.onFinished();
      else this.#ports.onAbandoned('it was not answered in time');
    });
  }

  #cancelDeadline(): void {
    if (this.#deadline !== undefined) this.#ports.deadlines.cancel(this.#deadline);
    this.#deadline = undefined;
  }
}
