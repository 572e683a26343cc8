/** The outcome of a run that requires input: its requests and its journal. Limits the rounds of a call. */
import { type RpcError } from '../../jsonrpc/errors.ts';
import { TenonError } from '../../lib/errors/tenon-error.ts';
import type { InputRequiredOutcome } from '../../ports/call-outcome.ts';
import { rpcError } from '../../protocol/errors.ts';
import type { InputRequest } from '../../protocol/neutral.ts';
import type { CallLimits, ErrorContext } from '../ports/call-limits.ts';
import type { Journal } from '../ports/journal.ts';

/** The rounds of a call are limited: a handler that requests new input in every round would never end. */
export function suspension(
  limits: CallLimits,
  call: ErrorContext,
  requests: Readonly<Record<string, InputRequest>>,
  journal: Journal,
): InputRequiredOutcome | RpcError {
  // A run that only sleeps asks for nothing.
  if (Object.keys(requests).length === 0 && journal.sleeping !== undefined)
    return { resultType: 'input_required', inputRequests: requests, journal };
  const round = journal.round + 1;
  return round > limits.maxInputRounds
    ? tooManyRounds(limits, call)
    : { resultType: 'input_required', inputRequests: requests, journal: { ...journal, round } };
}

export function tooManyRounds(limits: CallLimits, call: ErrorContext): RpcError {
  const text = `The call requested input more than ${limits.maxInputRounds} times (limits.maxInputRounds)`;
  limits.failed(new TenonError('too-many-input-rounds', `${text}.`), call);
  return rpcError('internal-error', text);
}
