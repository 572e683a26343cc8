/** Requests of the other side that wait for their answer: each gets one, and those of a batch go back together. */
import { type ErrorObject, standardCodes, TenonError } from './errors.ts';
import type { ErrorMessage, Message, RequestId, ResultMessage } from './message.ts';

export interface Inbox {
  /** Takes a request in. A refusal says why not: its id is in use, or too many wait. */
  admit(id: RequestId): TenonError | undefined;
  /** Sends an answer, unless the request was answered, forgotten or never there. */
  settle(answer: ResultMessage | ErrorMessage): void;
  /** Sends an error that answers no admitted request. */
  reply(id: RequestId | undefined, error: ErrorObject): void;
  forget(id: RequestId): void;
  /** Whatever is admitted or replied to while this runs is one batch. */
  together(receive: () => void): void;
  close(): void;
}

/** Answers of one batch: sent as one frame when none is missing any more. */
interface Batch {
  missing: number;
  readonly answers: Message[];
}

const alone = Symbol('alone');

export function createInbox(maxInFlight: number, send: (message: Message | readonly Message[]) => void): Inbox {
  const waiting = new Map<RequestId, Batch | typeof alone>();
  let batch: Batch | undefined;

  function flush(full: Batch): void {
    if (full.missing === 0 && full.answers.length > 0) send(full.answers.splice(0));
  }

  function put(answer: Message, into: Batch | typeof alone): void {
    if (into === alone) return send(answer);
    into.answers.push(answer);
    into.missing--;
    flush(into);
  }

  function reply(id: RequestId | undefined, error: ErrorObject): void {
    const answer: ErrorMessage = id === undefined ? { jsonrpc: '2.0', error } : { jsonrpc: '2.0', id, error };
    if (batch !== undefined) batch.missing++;
    put(answer, batch ?? alone);
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
    settle(answer) {
      const id = answer.id as RequestId;
      const into = waiting.get(id);
      if (into === undefined) return;
      waiting.delete(id);
      put(answer, into);
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
