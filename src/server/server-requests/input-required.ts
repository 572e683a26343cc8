/** The outcome of a run that requires input: its requests and its journal, counted against the rounds a call may take. */
import { type RpcError, TenonError } from '../../jsonrpc/errors.ts';
import { rpcError } from '../../protocol/errors.ts';
import type { Question } from '../../protocol/neutral.ts';
import type { CallLimits, FailedCall } from '../ports/call-limits.ts';
import type { Suspension } from '../ports/call-outcome.ts';
import type { Journal } from '../ports/journal.ts';

/** A call may ask only so often: a handler that asks in every round would never end. */
export function suspension(
  limits: CallLimits,
  call: FailedCall,
  questions: Readonly<Record<string, Question>>,
  journal: Journal,
): Suspension | RpcError {
  const round = journal.round + 1;
  return round > limits.maxRounds
    ? tooManyRounds(limits, call)
    : { kind: 'suspended', questions, journal: { ...journal, round } };
}

export function tooManyRounds(limits: CallLimits, call: FailedCall): RpcError {
  const text = `The call asked more than ${limits.maxRounds} times`;
  limits.failed(new TenonError('too-many-rounds', `${text}.`), call);
  return rpcError('internal-error', text);
}
