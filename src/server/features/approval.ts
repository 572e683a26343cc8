/** Has a run of a tool approved, where the guard asks for it: elicits, waits and remembers as the run of a handler does. */
import type { RpcError } from '../../jsonrpc/errors.ts';
import { TenonError } from '../../lib/errors/tenon-error.ts';
import { pause } from '../../lib/time/pause.ts';
import type { ApprovableCall, ElicitedAnswer } from '../../ports/approvable-call.ts';
import type { GuardedCall } from '../../ports/guard.ts';
import type { Done } from '../../protocol/neutral.ts';
import type { Journal } from '../ports/journal.ts';
import type { Invocation } from './invocation.ts';
import { refusal } from './judge.ts';

/** In a journal: the step that has used an approval. Requests and pauses have the ID of theirs behind it. */
const approvalKey = 'tenon.approval';

/** Resolves with nothing when the handler may run. */
export async function approved(
  invocation: Invocation,
  guarded: GuardedCall,
  tool: string,
): Promise<Done | RpcError | undefined> {
  const outcome = await guarded.approve?.(approvableCall(invocation, tool));
  return outcome !== undefined && 'resultType' in outcome ? outcome : refusal(invocation, outcome);
}

function approvableCall(invocation: Invocation, tool: string): ApprovableCall {
  const { context, limits, ports, laterTask, call } = invocation;
  const { begun } = context;
  const becomeTask = laterTask !== undefined && ports.task === undefined ? () => context.continueAsTask() : undefined;
  return {
    server: limits.listedTool(tool, ports).server,
    // A state that is sent again to a node which has not seen it is another run of the same call: it uses no approval again.
    runId: ports.task === undefined ? crypto.randomUUID() : context.callId,
    isTask: ports.task !== undefined,
    isApproved: Object.hasOwn(begun.steps, approvalKey),
    ...requestedIn(begun),
    definition: () => limits.listedTool(tool, invocation.ports).record,
    supports: (mode) => context.clientSupports(`elicitation.${mode}`),
    elicit: (approval, request) =>
      context.elicitForGuard(`${approvalKey}.${approval}`, request) as Promise<ElicitedAnswer>,
    completed: (approval) => context.completeElicitation(`${approvalKey}.${approval}`),
    async pause(approval, ms, n) {
      const { task } = invocation.ports;
      if (task === undefined) return pauseHere(invocation, ms);
      await context.sleep(`${approvalKey}.${approval}.${n}`, Math.min(ms, task.sleep.maxMs()));
    },
    ...(becomeTask && { becomeTask }),
    once: (run) => context.step(approvalKey, run),
    // So little that the first progress of the handler is more.
    reportWait: (waitedMs, message) => context.reportProgress(waitedMs / 1e9, undefined, message),
    failed: (error) => limits.failed(error, { method: call.method, target: tool }),
  };
}

/** The approval that earlier runs have requested, and how often they have paused for it: it is in the keys of their journal. */
function requestedIn({ requested, answers, sleeps = {} }: Journal): Pick<ApprovableCall, 'requested' | 'pauses'> {
  const own = (keys: object): string[] => Object.keys(keys).filter((key) => key.startsWith(`${approvalKey}.`));
  const pauses = own(sleeps);
  const last = pauses.at(-1) ?? own(requested).at(-1) ?? own(answers).at(-1);
  return { requested: last?.split('.')[2], pauses: pauses.length };
}

/** Waits in this process. The time that an approver takes does not count towards the time limit. */
async function pauseHere({ context, limits }: Invocation, ms: number): Promise<void> {
  context.clock?.pause();
  try {
    await pause(limits.deadlines, ms, context.signal);
  } finally {
    context.clock?.resume();
  }
  if (context.finished) throw new TenonError('cancelled', 'The call has finished while it waited for an approval.');
}
