/** Requests of the other side that wait for their answer: each gets one, and those of a batch go back together. */
import { type ErrorObject, standardCodes, TenonError } from './errors.ts';
import { writeFrame } from './frame.ts';
import { IdTable } from './id-table.ts';
import { defaultLimits } from './limits.ts';
import type { ErrorMessage, RequestId, ResultMessage } from './message.ts';

/** Answers of one batch, each written when it came: sent together when none is missing any more. */
interface Batch {
  missing: number;
  readonly answers: string[];
}

const alone = Symbol('alone');

export const internalError: ErrorObject = { code: standardCodes['internal-error'], message: 'Internal error' };

/** The other side waits for this, however long the id it gave. */
const mustLeave = (answer: ErrorMessage): string =>
  writeFrame(answer, { ...defaultLimits, maxCharacters: Number.POSITIVE_INFINITY });

export interface InboxPorts {
  /** Characters of one frame. */
  readonly maxCharacters: number;
  /** The text of an answer; throws for one that may not leave. */
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
   * Takes a request in. A refusal says why not: too many wait, which is answered with an error, or its id is in use,
   * which is not answered, since an answer would be taken for that of the request which has the id already.
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
   * Sends an answer, unless the request was answered, forgotten or never there. One that cannot be written, or is over
   * the limits, is replaced by an internal error, since the other side waits, and what was wrong with it comes back.
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
    this.#put(mustLeave(answer), this.#batch ?? alone);
  }

  forget(id: RequestId): void {
    const into = this.#waiting.get(id);
    if (into === undefined) return;
    this.#waiting.delete(id);
    if (into === alone) return;
    into.missing--;
    this.#flush(into);
  }

  /** Whatever is admitted or replied to while this runs is one batch. */
  together(receive: () => void): void {
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
    for (const frame of framesOf(full.answers.splice(0), this.#ports.maxCharacters)) this.#ports.sendAnswer(frame);
  }
}

/**
 * A batch is answered by one batch. Where that would be over the limit it is several: the other side reads each of
 * them, and a single one that is too large would cost it all answers, or the connection.
 */
function framesOf(answers: readonly string[], maxCharacters: number): string[] {
  const frames: string[] = [];
  let first = 0;
  let length = 1;
  answers.forEach((answer, at) => {
    // With what follows it, a comma or the closing bracket.
    const added = answer.length + 1;
    if (at > first && length + added > maxCharacters) {
      frames.push(frameOf(answers.slice(first, at), maxCharacters));
      first = at;
      length = 1;
    }
    length += added;
  });
  frames.push(frameOf(answers.slice(first), maxCharacters));
  return frames;
}

/** One answer can fill a frame so far that it has no room for brackets. */
function frameOf(answers: readonly string[], maxCharacters: number): string {
  const [only = ''] = answers;
  return answers.length === 1 && only.length + 2 > maxCharacters ? only : `[${answers.join(',')}]`;
}

function written(ports: InboxPorts, answer: ResultMessage | ErrorMessage): { text: string; problem?: TenonError } {
  try {
    return { text: ports.write(answer) };
  } catch (problem) {
    const error: ErrorMessage = { jsonrpc: '2.0', id: answer.id as RequestId, error: internalError };
    return { text: mustLeave(error), problem: problem as TenonError };
  }
}
