/** The end of a run that asks: its questions and what it knows, counted against the rounds a call may take. */
import { type RpcError, TenonError } from '../../jsonrpc/errors.ts';
import { rpcError } from '../../protocol/errors.ts';
import type { Question } from '../../protocol/neutral.ts';
import type { CallLimits, FailedCall } from '../ports/call-limits.ts';
import type { Suspension } from '../ports/call-outcome.ts';
import type { Journal } from '../ports/journal.ts';

/** A call may ask only so often: a handler that never has enough would go on for ever. */
export function suspension(
  terms: CallLimits,
  call: FailedCall,
  questions: Readonly<Record<string, Question>>,
  journal: Journal,
): Suspension | RpcError {
  const round = journal.round + 1;
  return round > terms.maxRounds
    ? tooManyRounds(terms, call)
    : { kind: 'suspended', questions, journal: { ...journal, round } };
}

export function tooManyRounds(terms: CallLimits, call: FailedCall): RpcError {
  const text = `The call asked more than ${terms.maxRounds} times`;
  terms.failed(new TenonError('too-many-rounds', `${text}.`), call);
  return rpcError('internal-error', text);
}
