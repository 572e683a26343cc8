/** Calls in protocol versions without sessions: any process can send the next round, with the answers and the request state. */
import { setTimeout } from 'node:timers/promises';
import type { ClientHandlers } from '../../client/answers/handlers.ts';
import type { Client } from '../../client/api/client.ts';
import { pollMs } from '../../client/features/tasks/task-fields.ts';
import type { Fields } from '../../lib/values/is.ts';
import { rpcError } from '../../protocol/errors.ts';
import type { Outcome } from '../../protocol/neutral.ts';
import { isWithoutSessions } from '../../protocol/revisions/revisions.ts';
import type { Question } from '../io/command.ts';
import type { Io } from '../io/io.ts';
import { connectionTo, usingClient } from '../target/open-client.ts';
import type { WaitingRound, WaitingTask } from './pending-calls.ts';
import { questionsFrom } from './question.ts';

/** The outcome of a round: the result of the call, or questions. */
export type Advance =
  | { readonly kind: 'done'; readonly result: Fields }
  | {
      readonly kind: 'asked';
      readonly questions: readonly Question[];
      /** What another process needs to continue, beside the target. */
      readonly continuation: Omit<WaitingRound, 'target'> | Omit<WaitingTask, 'target'>;
    };

const unused = (): never => {
  throw rpcError('internal-error', 'The request does not belong to a call');
};

/** Handlers that only declare which server requests are answered: rounds call none of them. */
export const declaredHandlers: ClientHandlers = {
  elicitForm: unused,
  elicitUrl: unused,
  sample: unused,
  samplingTools: true,
};

/** Whether calls have rounds. In a session the server waits for answers on the connection of the call. */
export const hasRounds = ({ protocolVersion }: Client): boolean => isWithoutSessions(protocolVersion);

/** Sends one round; a call that becomes a task is followed until it has finished or requires input. */
export async function advance(
  client: Client,
  io: Pick<Io, 'signal'>,
  { method, params, state, answers }: Pick<WaitingRound, 'method' | 'params' | 'state' | 'answers'>,
): Promise<Advance> {
  const isFirst = state === undefined && Object.keys(answers).length === 0;
  const round = isFirst ? {} : { round: { answers, state } };
  const outcome: Outcome = await client.round(method, params, { signal: io.signal, ...round });
  if (outcome.resultType === 'complete') return { kind: 'done', result: outcome.result };
  if (outcome.resultType === 'task') return follow(client, io, String(outcome.task.taskId), []);
  return {
    kind: 'asked',
    questions: questionsFrom(outcome.inputRequests),
    continuation: { kind: 'round', method, params, state: outcome.state, answers: {} },
  };
}

/** Continues a stored call with all its answers. */
export const continued = (io: Io, continuation: WaitingRound | WaitingTask): Promise<Advance> =>
  usingClient(
    io,
    connectionTo(continuation.target),
    async (client) => {
      if (continuation.kind === 'round') return advance(client, io, continuation);
      await client.tasks.answer(continuation.taskId, continuation.answers, { signal: io.signal });
      return follow(client, io, continuation.taskId, [...continuation.answered, ...Object.keys(continuation.answers)]);
    },
    { handlers: declaredHandlers },
  );

/** Follows a task until it has finished, or requires input that was not answered yet. */
export async function follow(
  client: Client,
  { signal }: Pick<Io, 'signal'>,
  taskId: string,
  answered: readonly string[],
  /** Replaced in tests. */
  pause: (ms: number, value: undefined, options: { signal: AbortSignal }) => Promise<unknown> = setTimeout,
): Promise<Advance> {
  for (;;) {
    let isAsked = false;
    const ask = (): never => {
      isAsked = true;
      throw rpcError('internal-error', 'The question waits for tenon answer');
    };
    const answers = { elicitForm: ask, elicitUrl: ask, sample: ask };
    try {
      return { kind: 'done', result: { ...(await client.tasks.result(taskId, { signal, answers })) } };
    } catch (error) {
      if (!isAsked) throw error;
    }
    const task = await client.tasks.get(taskId, { signal });
    const questions = questionsFrom(task.inputRequests ?? {}).filter(({ key }) => !answered.includes(key));
    if (questions.length > 0)
      return { kind: 'asked', questions, continuation: { kind: 'task', taskId, answered, answers: {} } };
    // A server may list a question once more after it was answered.
    await pause(pollMs(task), undefined, { signal });
  }
}
