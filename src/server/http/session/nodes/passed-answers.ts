/** Answers to server requests that arrive at another endpoint than the one that waits: they are in the record of the session until it takes them. */
import type { ErrorMessage, ResultMessage } from '../../../../jsonrpc/message.ts';
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
 * Characters of these answers together.
 * @limit HTTP
 * @beyond 503 with `retry-after` for a further one
 */
const maxAnswerChars = 8 * 1024 * 1024;

const prefix = 'answer ';

/** Stores an answer; `full` if too many wait already, `ended` if the session has no record. One that is stored again replaces itself. */
export async function passAnswer(
  sessions: SessionStore,
  key: string,
  id: string,
  passed: PassedAnswer,
  /** How long an endpoint waits for an answer: after that it is deleted. */
  inputMs: number,
): Promise<'stored' | 'full' | 'ended'> {
  const fields = await sessions.read(key);
  if (fields === undefined) return 'ended';
  const name = prefix + id;
  const text = JSON.stringify(passed);
  const changes: Record<string, string | undefined> = { [name]: text };
  let [answers, chars] = [1, text.length];
  for (const [other, value] of answersIn(fields, '')) {
    if (other === name) continue;
    if (readPassed(value).at < passed.at - inputMs) changes[other] = undefined;
    else [answers, chars] = [answers + 1, chars + value.length];
  }
  // The first one has room, however long: the size of a request is limited.
  if (answers > maxAnswers || (answers > 1 && chars > maxAnswerChars)) return 'full';
  return (await sessions.update(key, changes)) ? 'stored' : 'ended';
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
