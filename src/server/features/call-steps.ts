/** A call of a tool that a guard decides about, or that may be a task, or that has an idempotency key. */
import { RpcError } from '../../jsonrpc/errors.ts';
import { type MaybePromise, mapped } from '../../lib/values/maybe-promise.ts';
import type { Settled } from '../../ports/call-outcome.ts';
import type { GuardedCall } from '../../ports/guard.ts';
import { idempotencyKey } from '../../protocol/meta-keys.ts';
import type { CompiledTask } from '../ports/call-limits.ts';
import { approved } from './approval.ts';
import type { Invocation } from './invocation.ts';
import { judged, started } from './judge.ts';
import { chooseTask } from './task.ts';

type SteppedTool = { readonly name: string; readonly task: CompiledTask | undefined };

/** `input` are its validated arguments; `handle` runs it. */
export function callInSteps(
  invocation: Invocation,
  tool: SteppedTool,
  input: unknown,
  handle: () => MaybePromise<Settled>,
): MaybePromise<Settled> {
  const { guarded, call } = invocation;
  const isTask = tool.task !== undefined || call.params.task !== undefined;
  if (guarded === undefined || isTask || call.meta[idempotencyKey] !== undefined)
    return callInAllSteps(invocation, tool, input, handle);
  return mapped(judged(invocation, guarded, 'call', [{ tool: tool.name }], input), (refused) => {
    if (refused !== undefined) return refused;
    if (guarded.needsApproval === true) return callApproved(invocation, guarded, tool.name, handle);
    return mapped(started(invocation, guarded), (failed) => failed ?? handle());
  });
}

async function callApproved(
  invocation: Invocation,
  guarded: GuardedCall,
  tool: string,
  handle: () => MaybePromise<Settled>,
): Promise<Settled> {
  return (await approved(invocation, guarded, tool)) ?? (await started(invocation, guarded)) ?? handle();
}

async function callInAllSteps(
  invocation: Invocation,
  tool: SteppedTool,
  input: unknown,
  handle: () => MaybePromise<Settled>,
): Promise<Settled> {
  const { guarded, limits, caller } = invocation;
  const chosen = chooseTask(invocation, tool);
  if (chosen instanceof RpcError) return chosen;
  const isByHandler = chosen !== 'now' && chosen.byHandler && caller.revision.tasks?.decidedBy === 'server';
  if (isByHandler) invocation.laterTask = chosen;
  const refused = guarded && (await judged(invocation, guarded, 'call', [{ tool: tool.name }], input));
  if (refused !== undefined) return refused;
  const start = (): MaybePromise<RpcError | undefined> => guarded && started(invocation, guarded);
  const approve = guarded?.needsApproval === true ? () => approved(invocation, guarded, tool.name) : undefined;
  if (chosen !== 'now' && !isByHandler) {
    // A task asks for its approval in its runs.
    const firstRun = approve && (async (): Promise<Settled> => (await approve()) ?? handle());
    return (await start()) ?? limits.tasks.run(invocation, chosen, firstRun ?? handle);
  }
  const startedRun = async (): Promise<Settled> => (await start()) ?? handle();
  const run = approve === undefined ? startedRun : async () => (await approve()) ?? startedRun();
  const isKeyed =
    invocation.call.meta[idempotencyKey] !== undefined && (guarded !== undefined || tool.task !== undefined);
  // A repeat is decided as well, and gets the stored result.
  return isKeyed && limits.idempotency !== undefined ? limits.idempotency.serve(invocation, run) : run();
}

/** Whether a call needs none of these steps. */
export const isPlainCall = (
  { call, guarded }: Invocation,
  { task }: { readonly task: CompiledTask | undefined },
): boolean => task === undefined && call.params.task === undefined && guarded === undefined;
