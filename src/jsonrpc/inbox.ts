/** Requests of the other side that wait for their answer: each gets exactly one, and those of a batch are sent together. */

import { TenonError } from '../lib/errors/tenon-error.ts';
import { type ErrorObject, standardCodes } from './errors.ts';
import { writeFrame } from './frame.ts';
import { IdTable } from './id-table.ts';
import { defaultLimits } from './limits.ts';
import type { ErrorMessage, RequestId, ResultMessage } from './message.ts';

/** The answers of one batch, as text: sent together when none is missing. */
interface Batch {
  missing: number;
  readonly answers: string[];
}

const alone = Symbol('alone');

export const internalError: ErrorObject = { code: standardCodes['internal-error'], message: 'Internal error' };

/** Has no size limit: the other side waits for this answer, however long its id is. */
const writeUnbounded = (answer: ErrorMessage): string =>
  writeFrame(answer, { ...defaultLimits, maxMessageChars: Number.POSITIVE_INFINITY });

export interface InboxPorts {
  /** Characters of one frame. */
  readonly maxMessageChars: number;
  /** The text of an answer; throws if it may not be sent. */
  write(answer: ResultMessage | ErrorMessage): string;
  sendAnswer(frame: string): void;
  /** Whether an error without a readable id has the id null, or none. */
  hasNullId(): boolean;
}

export class Inbox {
  readonly #maxInFlight: number;
  readonly #ports: InboxPorts;
  readonly #waiting = new IdTable<Batch | typeof alone>();
  #batch: Batch | undefined;

  constructor(maxInFlight: number, ports: InboxPorts) {
    this.#maxInFlight = maxInFlight;
    this.#ports = ports;
  }

  /**
   * Admits a request, or returns why not. Too many requests are answered with an error. A request whose id is in use
   * gets no answer: the other side would read it as the answer to the first request with this id.
   */
  admit(id: RequestId): TenonError | undefined {
    if (this.#waiting.has(id)) {
      return new TenonError('invalid-message', `The id ${JSON.stringify(id)} is in use by a request that waits.`, {
        hint: 'Give every request an id of its own.',
      });
    }
    if (this.#waiting.size >= this.#maxInFlight) {
      this.reply(id, { code: standardCodes['internal-error'], message: 'Too many requests wait for an answer' });
      const text = `${this.#maxInFlight} requests of the other side wait for an answer already.`;
      return new TenonError('queue-full', text);
    }
    if (this.#batch !== undefined) this.#batch.missing++;
    this.#waiting.set(id, this.#batch ?? alone);
    return undefined;
  }

  /**
   * Sends an answer, unless the request was answered, forgotten or never there. An answer that cannot be written, or is
   * over the limits, is replaced by an internal error, since the other side waits; the problem is returned.
   */
  settle(answer: ResultMessage | ErrorMessage): TenonError | undefined {
    const id = answer.id as RequestId;
    const into = this.#waiting.get(id);
    if (into === undefined) return undefined;
    this.#waiting.delete(id);
    const { text, problem } = written(this.#ports, answer);
    this.#put(text, into);
    return problem;
  }

  /** Sends an error that answers no admitted request. */
  reply(id: RequestId | undefined, error: ErrorObject): void {
    const known = id ?? (this.#ports.hasNullId() ? null : undefined);
    const answer: ErrorMessage = known === undefined ? { jsonrpc: '2.0', error } : { jsonrpc: '2.0', id: known, error };
    if (this.#batch !== undefined) this.#batch.missing++;
    this.#put(writeUnbounded(answer), this.#batch ?? alone);
  }

  forget(id: RequestId): void {
    const into = this.#waiting.get(id);
    if (into === undefined) return;
    this.#waiting.delete(id);
    if (into === alone) return;
    into.missing--;
    this.#flush(into);
  }

  /** All requests that are admitted or replied to while this runs are answered as one batch. */
  collectBatch(receive: () => void): void {
    const own: Batch = { missing: 1, answers: [] };
    this.#batch = own;
    try {
      receive();
    } finally {
      this.#batch = undefined;
      own.missing--;
      this.#flush(own);
    }
  }

  close(): void {
    this.#waiting.clear();
  }

  #put(answer: string, into: Batch | typeof alone): void {
    if (into === alone) return this.#ports.sendAnswer(answer);
    into.answers.push(answer);
    into.missing--;
    this.#flush(into);
  }

  #flush(full: Batch): void {
    if (full.missing > 0 || full.answers.length === 0) return;
    for (const frame of framesOf(full.answers.splice(0), this.#ports.maxMessageChars)) this.#ports.sendAnswer(frame);
  }
}

/**
 * A batch is answered by one batch, or by several if one would exceed the limit: the other side would reject it with
 * all answers, or disconnect.
 */
function framesOf(answers: readonly string[], maxMessageChars: number): string[] {
  const frames: string[] = [];
  let first = 0;
  let length = 1;
  answers.forEach((answer, at) => {
    // Plus a comma or the closing bracket.
    const added = answer.length + 1;
    if (at > first && length + added > maxMessageChars) {
      frames.push(frameOf(answers.slice(first, at), maxMessageChars));
      first = at;
      length = 1;
    }
    length += added;
  });
  frames.push(frameOf(answers.slice(first), maxMessageChars));
  return frames;
}

/** A single answer may be so large that the brackets would not fit. */
function frameOf(answers: readonly string[], maxMessageChars: number): string {
  const [only = ''] = answers;
  return answers.length === 1 && only.length + 2 > maxMessageChars ? only : `[${answers.join(',')}]`;
}

function written(ports: InboxPorts, answer: ResultMessage | ErrorMessage): { text: string; problem?: TenonError } {
  try {
    return { text: ports.write(answer) };
  } catch (problem) {
    const error: ErrorMessage = { jsonrpc: '2.0', id: answer.id as RequestId, error: internalError };
    return { text: writeUnbounded(error), problem: problem as TenonError };
  }
}
