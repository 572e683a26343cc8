/** Calls that return instead of waiting: consent, elicitation and tasks as values that can be resumed. */
import type { ToolCallOptions } from '../../client/api/client.ts';
import type { HostTool } from '../../host/lists/lists.ts';
import type { HostRoundOptions } from '../../host/round.ts';
import { pendingApprovalIn } from '../../ports/pending-approval.ts';
import type { CallToolResult, InputRequest } from '../../protocol/generated/types/records.ts';
import type { Interrupt, InterruptAnswer, ToolCall } from '../api.ts';
import type { ToolSource } from '../source/tool-source.ts';
import { checkAnswer } from './check-answer.ts';
import { type Continuation, createInterruptSealer, type InterruptSealer, interruptTtlMs } from './sealed-interrupt.ts';
import { createWaitingCalls, type FirstOutcome } from './waiting-calls.ts';

/** The call of a model whose arguments fit the schema of its tool. */
export interface CheckedCall {
  readonly tool: HostTool;
  readonly call: ToolCall;
  readonly args: Record<string, unknown>;
}

export type Interrupted =
  | { readonly is: 'result'; readonly result: CallToolResult }
  | { readonly is: 'interrupt'; readonly interrupt: Interrupt }
  /** The user denied the call. */
  | { readonly is: 'denied'; readonly reason: string | undefined }
  /** The interrupt cannot be resumed. */
  | { readonly is: 'stale' };

export interface Interrupts {
  start(checked: CheckedCall, options: ToolCallOptions): Promise<Interrupted>;
  /** Throws `invalid-argument` for an answer that does not belong to the kind of interrupt. */
  resume(
    checked: CheckedCall,
    interrupt: Interrupt,
    answer: InterruptAnswer,
    options: ToolCallOptions,
  ): Promise<Interrupted>;
}

export function createInterrupts(
  source: ToolSource,
  owner: string,
  secrets: readonly string[] | undefined,
): Interrupts {
  const sealer = createInterruptSealer(owner, secrets);
  const waiting = createWaitingCalls();

  const send = (checked: CheckedCall, options: HostRoundOptions): Promise<FirstOutcome> =>
    waiting.run(checked.tool.server, (answers) => source.round(checked.tool, checked.args, { ...options, answers }));

  const interruptOf = interruptsWith(sealer, secrets !== undefined);

  async function outcomeOf(checked: CheckedCall, outcome: FirstOutcome, before: Continuation): Promise<Interrupted> {
    const { taskId } = before;
    switch (outcome.resultType) {
      case 'complete': {
        // A server whose own rules ask another person.
        const approval = pendingApprovalIn(outcome.result);
        if (approval === undefined) return { is: 'result', result: outcome.result };
        return interruptOf(checked, { kind: 'approval', isAllowed: true }, { approval });
      }
      case 'approval':
        return interruptOf(checked, { kind: 'approval', isAllowed: before.isAllowed }, { approval: outcome.approval });
      case 'consent':
        return interruptOf(checked, { kind: 'consent', isAllowed: false });
      case 'waiting':
        return interruptOf(
          checked,
          { kind: 'elicitation', isAllowed: true, waiting: outcome.token },
          { requests: outcome.requests },
        );
      case 'task':
        return interruptOf(checked, { kind: 'task', isAllowed: true, taskId: taskId ?? String(outcome.task.taskId) });
      case 'input_required':
        return interruptOf(
          checked,
          { kind: 'elicitation', isAllowed: true, state: outcome.state, taskId },
          // Its wire has checked them.
          { requests: { ...outcome.inputRequests } as Record<string, InputRequest> },
        );
    }
  }

  return {
    async start(checked, options) {
      const begun: Continuation = { kind: 'consent', isAllowed: false };
      return outcomeOf(checked, await send(checked, roundOptions(options)), begun);
    },
    async resume(checked, interrupt, answer, options) {
      const { kind, sealed } = interrupt;
      // Before the interrupt is used.
      checkAnswer(interrupt, answer);
      const found = await sealer.open(sealed, checked.tool, checked.call, checked.args);
      if (found === undefined || found.kind !== kind) return { is: 'stale' };
      if ('decision' in answer && answer.decision === 'deny') return { is: 'denied', reason: answer.reason };
      if (found.waiting !== undefined) {
        const next = waiting.resume(found.waiting, 'answers' in answer ? answer.answers : {});
        return next === undefined ? { is: 'stale' } : outcomeOf(checked, await next, found);
      }
      const allowed = found.isAllowed || 'decision' in answer;
      const round = 'answers' in answer ? { answers: answer.answers, state: found.state } : undefined;
      const next: HostRoundOptions = {
        ...roundOptions(options),
        ...(allowed && { consent: 'allow' }),
        ...(round && { round }),
        ...(found.taskId !== undefined && { taskId: found.taskId }),
      };
      return outcomeOf(checked, await send(checked, next), { ...found, isAllowed: allowed });
    },
  };
}

/** Makes interrupts. One that waits in this process ends with it, whatever its secrets are. */
const interruptsWith =
  (sealer: InterruptSealer, hasSecrets: boolean) =>
  async (
    { tool, call, args }: CheckedCall,
    continuation: Continuation,
    more: Pick<Interrupt, 'requests' | 'approval'> = {},
  ): Promise<Interrupted> => {
    const interrupt: Interrupt = {
      kind: continuation.kind,
      server: tool.server,
      call: { ...call, arguments: args },
      durable: hasSecrets && continuation.waiting === undefined,
      expiresAt: Math.min(Date.now() + interruptTtlMs, more.approval?.expiresAt || Number.POSITIVE_INFINITY),
      ...more,
      sealed: await sealer.seal(continuation, tool, call, args),
    };
    return { is: 'interrupt', interrupt };
  };

/** A round may become a task, and reports it. */
function roundOptions({
  task: _task,
  onTask: _onTask,
  onTaskStatus: _status,
  ...call
}: ToolCallOptions): HostRoundOptions {
  return call;
}
