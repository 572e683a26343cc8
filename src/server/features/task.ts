/** Decides whether a call of a tool runs as a task: by the options of the tool, and by the capabilities of the client. */
import type { RpcError } from '../../jsonrpc/errors.ts';
import { readOptions } from '../../lib/options/read-options.ts';
import { rpcError } from '../../protocol/errors.ts';
import { missingExtension, tasksExtension } from '../../protocol/tasks/extension-tasks.ts';
import { taskOptions } from '../definition/tool.table.ts';
import type { TaskOptions, ToolOptions } from '../definition/tool.ts';
import type { CompiledTask } from '../ports/call-limits.ts';
import type { Invocation } from './invocation.ts';

export function compileTask(
  name: string,
  task: ToolOptions<never, undefined>['task'] | undefined,
): CompiledTask | undefined {
  if (task === undefined) return undefined;
  const options: TaskOptions = typeof task === 'string' ? { support: task } : task;
  const read = readOptions(`tools.${name}.task`, taskOptions, options);
  const { support, begins, ttlMs, deadlineMs, pollIntervalMs, answerWithinMs, retry, version = '' } = read;
  return {
    isRequired: support === 'required',
    byHandler: begins === 'by-handler',
    kind: `${name}@${version}`,
    ttlMs,
    deadlineMs,
    pollIntervalMs,
    answerWithinMs,
    retry,
  };
}

/** How to run a call: now, as a task, or not at all. */
export function chooseTask(
  { caller, call, ports, limits }: Invocation,
  { name, task }: { readonly name: string; readonly task: CompiledTask | undefined },
): 'now' | CompiledTask | RpcError {
  const { revision, capabilities } = caller;
  const { tasks: form } = revision;
  // This is a run of the task.
  if (ports.task !== undefined) return 'now';
  if (form?.decidedBy === 'server') {
    const isFollowed = form.isFollowedBy(capabilities);
    if (task === undefined || (!isFollowed && !task.isRequired)) return 'now';
    return isFollowed ? task : missingExtension(`The tool ${name} needs a client that declares ${tasksExtension}`);
  }
  if (form !== undefined && call.params.task !== undefined && (limits.tasks.isOffered || form.createdBy)) {
    if (task !== undefined) return task;
    return rpcError(form.createdBy ? 'invalid-params' : 'method-not-found', `The tool ${name} cannot run as a task`);
  }
  if (task?.isRequired !== true) return 'now';
  const how = form?.createdBy === undefined ? 'set params.task' : `send ${form.createdBy}`;
  return rpcError('method-not-found', `The tool ${name} must be called as a task: ${how}`);
}
