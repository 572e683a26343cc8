/** The end of a run that asks: its questions and what it knows, counted against the rounds a call may take. */
import { type RpcError, TenonError } from '../../jsonrpc/errors.ts';
import { rpcError } from '../../protocol/errors.ts';
import type { Fields, Question } from '../../protocol/neutral.ts';
import type { Suspension } from '../middleware.ts';
import type { FailedCall, Terms } from '../terms.ts';
import type { Journal } from './journal.ts';
import { readByWords } from './wording.ts';

/** A call may ask only so often: a handler that never has enough would go on for ever. */
export function suspension(
  terms: Terms,
  call: FailedCall,
  questions: Readonly<Record<string, Question>>,
  journal: Journal,
): Suspension | RpcError {
  const round = journal.round + 1;
  return round > terms.maxRounds
    ? tooManyRounds(terms, call)
    : { kind: 'suspended', questions, journal: { ...journal, round } };
}

export function tooManyRounds(terms: Terms, call: FailedCall): RpcError {
  const text = `The call asked more than ${terms.maxRounds} times`;
  terms.failed(new TenonError('too-many-rounds', `${text}.`), call);
  return rpcError('internal-error', text);
}

/** The answers to questions that a handler returned, each read by its question; what was not asked is left out. */
export async function readReturned(
  questions: Readonly<Record<string, Question>> = {},
  given: Readonly<Fields>,
): Promise<Fields | RpcError> {
  const answers: Fields = {};
  for (const [key, question] of Object.entries(questions)) {
    if (!Object.hasOwn(given, key)) continue;
    const answer = given[key];
    if (answer instanceof Error) return rpcError('internal-error', answer.message, undefined, answer);
    const read = await readByWords(question, answer);
    if (!read.ok) return malformed(key, read.problem);
    answers[key] = read.value;
  }
  return answers;
}

export const malformed = (key: string, problem: string): RpcError =>
  rpcError('invalid-params', `The answer to ${JSON.stringify(key)} is malformed: it is wrong at ${problem}`);
