/** Answers to server requests that arrive at another endpoint than the one that waits: they are in the record of the session until it takes them. */
import type { RpcError } from '../../../../jsonrpc/errors.ts';
import type { ErrorMessage, ResultMessage } from '../../../../jsonrpc/message.ts';
import type { Deadline, Deadlines } from '../../../../lib/time/deadlines.ts';
import { runInBackground } from '../../../../lib/values/maybe-promise.ts';
import type { RecordFields, SessionStore } from '../../../../store/session-store.ts';

export type Answer = ResultMessage | ErrorMessage;

interface PassedAnswer {
  /** When it arrived. */
  readonly at: number;
  readonly message: Answer;
}

/**
 * Answers of a session that wait for the node that asked.
 * @limit HTTP
 * @beyond 503 with `retry-after` for a further one
 */
const maxAnswers = 64;
/**
 * Characters of these answers together; they also count as received bytes of their sender.
 * @limit HTTP
 * @beyond 503 with `retry-after` for a further one
 */
const maxAnswerChars = 8 * 1024 * 1024;

/** When the record is read again: the other endpoint has taken its answers by then, and they no longer count. */
const lookAgainMs = 10_000;

const prefix = 'answer ';

export interface PassingPorts {
  readonly sessions: SessionStore;
  /** The key of the session. */
  readonly key: string;
  /** How long an endpoint waits for an answer: after that it is deleted. */
  readonly inputMs: number;
  readonly deadlines: Deadlines;
  now(): number;
  /** Counts bytes for the sender, or gives them back; returns why it may not have more. */
  hold(bytes: number): RpcError | undefined;
  failed(cause: unknown): void;
}

/** The answers that clients of one session send to this endpoint, for others. */
export class PassedAnswers {
  readonly #ports: PassingPorts;
  /** In turn: of answers that read the record at the same time, each would find room. */
  #last: Promise<unknown> = Promise.resolve();
  #held = 0;
  #next: Deadline | undefined;
  #isStopped = false;

  constructor(ports: PassingPorts) {
    this.#ports = ports;
  }

  /** Stores an answer; `full` if too many wait already, `ended` if the session has no record. One that is stored again replaces itself. */
  pass(message: Answer): Promise<'stored' | 'full' | 'ended'> {
    return this.#inTurn(() => this.#pass(message));
  }

  stop(): void {
    this.#isStopped = true;
    if (this.#next !== undefined) this.#ports.deadlines.cancel(this.#next);
  }

  #inTurn<T>(run: () => Promise<T>): Promise<T> {
    const turn = this.#last.then(run);
    this.#last = turn.catch(() => undefined);
    return turn;
  }

  async #pass(message: Answer): Promise<'stored' | 'full' | 'ended'> {
    const { sessions, key, now } = this.#ports;
    const fields = await sessions.read(key);
    if (fields === undefined) return 'ended';
    const name = prefix + String(message.id);
    const text = JSON.stringify({ at: now(), message } satisfies PassedAnswer);
    const { late, waiting } = this.#found(fields, name);
    const chars = charsOf(waiting) + text.length;
    // The first one has room, however long: the size of a request is limited.
    if (waiting.length >= maxAnswers || (waiting.length > 0 && chars > maxAnswerChars)) return 'full';
    if (!this.#hold(chars)) return 'full';
    this.#lookAgain();
    return (await sessions.update(key, { ...late, [name]: text })) ? 'stored' : 'ended';
  }

  /** The answers in a record besides one that is replaced: those that no endpoint waits for any more, and the others. */
  #found(fields: RecordFields, replaced?: string) {
    const since = this.#ports.now() - this.#ports.inputMs;
    const late: Record<string, undefined> = {};
    const waiting: string[] = [];
    for (const [name, text] of answersIn(fields, ''))
      if (name !== replaced && readPassed(text).at < since) late[name] = undefined;
      else if (name !== replaced) waiting.push(text);
    return { late, waiting };
  }

  #hold(chars: number): boolean {
    if (this.#ports.hold(chars - this.#held) !== undefined) return false;
    this.#held = chars;
    return true;
  }

  #lookAgain(): void {
    const { deadlines, failed } = this.#ports;
    if (this.#next !== undefined || this.#isStopped) return;
    this.#next = deadlines.add(
      lookAgainMs,
      () => {
        this.#next = undefined;
        runInBackground(() => this.#inTurn(() => this.#look()), failed);
      },
      false,
    );
  }

  /** Deletes what is late; what others have taken no longer counts. */
  async #look(): Promise<void> {
    const { sessions, key } = this.#ports;
    const { late, waiting } = this.#found((await sessions.read(key)) ?? {});
    if (Object.keys(late).length > 0) await sessions.update(key, late);
    this.#hold(charsOf(waiting));
    if (waiting.length > 0) this.#lookAgain();
  }
}

/** The answers in a record whose ids begin with an address, by id without it, and the fields to delete once they were taken. */
export function answersFor(fields: RecordFields, address: string) {
  const found = answersIn(fields, address);
  return {
    answers: found.map(([name, text]): [own: string, answer: Answer] => [
      name.slice(prefix.length + address.length),
      readPassed(text).message,
    ]),
    taken: Object.fromEntries(found.map(([name]) => [name, undefined])),
  };
}

const answersIn = (fields: RecordFields, address: string): [name: string, text: string][] =>
  Object.entries(fields).filter(([name]) => name.startsWith(prefix + address));

const readPassed = (text: string): PassedAnswer => JSON.parse(text) as PassedAnswer;

const charsOf = (texts: readonly string[]): number => texts.reduce((sum, { length }) => sum + length, 0);
