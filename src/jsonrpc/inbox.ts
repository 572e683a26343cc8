/** Requests of the other side that wait for their answer: each gets one, and those of a batch go back together. */
import { type ErrorObject, standardCodes, TenonError } from './errors.ts';
import { writeFrame } from './frame.ts';
import { IdTable } from './id-table.ts';
import { defaultLimits } from './limits.ts';
import type { ErrorMessage, Message, RequestId, ResultMessage } from './message.ts';

export interface Inbox {
  /**
   * Takes a request in. A refusal says why not: too many wait, which is answered with an error, or its id is in use,
   * which is not answered, since an answer would be taken for that of the request which has the id already.
   */
  admit(id: RequestId): TenonError | undefined;
  /**
   * Sends an answer, unless the request was answered, forgotten or never there. One that cannot be written, or is over
   * the limits, is replaced by an internal error, since the other side waits, and what was wrong with it comes back.
   */
  settle(answer: ResultMessage | ErrorMessage, resultText?: string): TenonError | undefined;
  /** Sends an error that answers no admitted request. */
  reply(id: RequestId | undefined, error: ErrorObject): void;
  forget(id: RequestId): void;
  /** Whatever is admitted or replied to while this runs is one batch. */
  together(receive: () => void): void;
  close(): void;
}

/** Answers of one batch, each written when it came: sent as one frame when none is missing any more. */
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
  /** The text of an answer; throws for one that may not leave. */
  write(message: Message, resultText?: string): string;
  send(frame: string): void;
  /** Whether an error without a readable id has the id null, or none. */
  nullId?: (() => boolean) | undefined;
}

export function createInbox(maxInFlight: number, { write, send, nullId = () => false }: InboxPorts): Inbox {
  const waiting = new IdTable<Batch | typeof alone>();
  let batch: Batch | undefined;

  function flush(full: Batch): void {
    if (full.missing === 0 && full.answers.length > 0) send(`[${full.answers.splice(0).join(',')}]`);
  }

  function put(answer: string, into: Batch | typeof alone): void {
    if (into === alone) return send(answer);
    into.answers.push(answer);
    into.missing--;
    flush(into);
  }

  function reply(id: RequestId | undefined, error: ErrorObject): void {
    const known = id ?? (nullId() ? null : undefined);
    const answer: ErrorMessage = known === undefined ? { jsonrpc: '2.0', error } : { jsonrpc: '2.0', id: known, error };
    if (batch !== undefined) batch.missing++;
    put(mustLeave(answer), batch ?? alone);
  }

  return {
    reply,
    admit(id) {
      if (waiting.has(id)) {
        return new TenonError('invalid-message', `The id ${JSON.stringify(id)} is in use by a request that waits.`, {
          hint: 'Give every request an id of its own.',
        });
      }
      if (waiting.size >= maxInFlight) {
        reply(id, { code: standardCodes['internal-error'], message: 'Too many requests wait for an answer' });
        return new TenonError('queue-full', `${maxInFlight} requests of the other side wait for an answer already.`);
      }
      if (batch !== undefined) batch.missing++;
      waiting.set(id, batch ?? alone);
      return undefined;
    },
    settle(answer, resultText) {
      const id = answer.id as RequestId;
      const into = waiting.get(id);
      if (into === undefined) return undefined;
      waiting.delete(id);
      const { text, problem } = written(write, answer, resultText);
      put(text, into);
      return problem;
    },
    forget(id) {
      const into = waiting.get(id);
      if (into === undefined) return;
      waiting.delete(id);
      if (into === alone) return;
      into.missing--;
      flush(into);
    },
    together(receive) {
      const own: Batch = { missing: 1, answers: [] };
      batch = own;
      try {
        receive();
      } finally {
        batch = undefined;
        own.missing--;
        flush(own);
      }
    },
    close() {
      waiting.clear();
    },
  };
}

function written(
  write: InboxPorts['write'],
  answer: ResultMessage | ErrorMessage,
  resultText: string | undefined,
): { text: string; problem?: TenonError } {
  try {
    return { text: write(answer, resultText) };
  } catch (problem) {
    const error: ErrorMessage = { jsonrpc: '2.0', id: answer.id as RequestId, error: internalError };
    return { text: mustLeave(error), problem: problem as TenonError };
  }
}
