/** Requests about tasks on a server with a guard: they need the permission to call the tool of the task. */
import type { RpcError } from '../../../jsonrpc/errors.ts';
import type { GuardedCall, GuardedCaller, GuardedFeature, ServerGuard } from '../../../ports/guard.ts';
import type { TaskInvocation } from '../../ports/call-limits.ts';
import type { TaskEngine } from './engine/task-engine.ts';
import type { TaskRecord } from './engine/task-records.ts';

/** Requests that a client repeats while it waits: only refusals of them are recorded. */
const polls: ReadonlySet<string> = new Set(['tasks/get', 'tasks/list']);

/** The error for a refused request about a task. A task of a hidden tool gets the error of an unknown task. */
export async function guardTask(
  engine: TaskEngine,
  { guarded, call }: TaskInvocation,
  record: TaskRecord,
): Promise<RpcError | 'hidden' | undefined> {
  if (guarded === undefined) return undefined;
  const feature = await toolOf(engine, record);
  if (!guarded.sees(feature)) {
    await guarded.hidden(feature);
    return 'hidden';
  }
  const refused = await guarded.judgeTask(feature);
  return refused ?? (polls.has(call.method) ? undefined : guarded.start());
}

/** The tasks of a list whose tools the caller sees. */
export async function seenTasks(
  engine: TaskEngine,
  guarded: GuardedCall | undefined,
  records: readonly TaskRecord[],
): Promise<readonly TaskRecord[]> {
  if (guarded === undefined) return records;
  const features = await Promise.all(records.map((record) => toolOf(engine, record)));
  return records.filter((_, n) => guarded.sees(features[n] ?? {}));
}

/** Whether a subscription, or a session, may follow a task. */
export async function mayFollow(
  engine: TaskEngine,
  guard: ServerGuard | undefined,
  caller: GuardedCaller | undefined,
  record: TaskRecord,
): Promise<boolean> {
  if (guard === undefined) return true;
  return caller !== undefined && guard.notifiesOfTask(caller, await toolOf(engine, record));
}

/** The tool of a task: the names of kinds are for workers. Tasks of earlier versions have it in their journal alone. */
async function toolOf(engine: TaskEngine, { row, task }: TaskRecord): Promise<GuardedFeature> {
  if (task.tool !== undefined) return { tool: task.tool };
  const view = await engine.view(row.id, row.owner);
  return { tool: String(view?.journal.call.params.name ?? '') };
}
