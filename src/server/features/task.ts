/** Whether a call of a tool runs as a task: what the tool says, and what its client can follow. */
import type { RpcError } from '../../jsonrpc/errors.ts';
import { rpcError } from '../../protocol/errors.ts';
import { tasksExtension } from '../../protocol/extensions/tasks/extension.ts';
import { checkOptions, positive, type Rule, type Rules } from '../../protocol/option-rules.ts';
import type { CompiledTask } from '../definition/compiled.ts';
import type { TaskOptions, ToolOptions } from '../definition/tool.ts';
import type { CallerInfo } from '../ports/caller.ts';
import type { Invocation } from './invocation.ts';

const support: Rule = {
  holds: (value) => value === 'optional' || value === 'required',
  must: "be 'optional' or 'required'",
};

const rules: Rules & Record<keyof TaskOptions, Rule> = {
  support,
  begins: {
    holds: (value) => value === 'at-once' || value === 'by-handler',
    must: "be 'at-once' or 'by-handler'",
  },
  ttlMs: positive,
  deadlineMs: positive,
  pollIntervalMs: positive,
  version: { holds: (value) => typeof value === 'string' && value !== '', must: 'be a text that is not empty' },
};

const hourMs = 60 * 60_000;

export function compileTask(
  name: string,
  given: ToolOptions<never, undefined>['task'] | undefined,
): CompiledTask | undefined {
  if (given === undefined) return undefined;
  const options = typeof given === 'string' ? { support: given } : given;
  checkOptions(`tools.${name}.task`, options, rules);
  const { support: chosen = 'optional', ttlMs = hourMs, deadlineMs = 24 * hourMs, pollIntervalMs = 1000 } = options;
  const { version = '', begins = 'at-once' } = options;
  const byHandler = begins === 'by-handler';
  return {
    isRequired: chosen === 'required',
    byHandler,
    kind: `${name}@${version}`,
    ttlMs,
    deadlineMs,
    pollIntervalMs,
  };
}

/** Whether a client can follow tasks: it declared the extension, or has the methods in its protocol version. */
export const followsTasks = ({ revision, capabilities }: CallerInfo): boolean =>
  revision.lifecycle === 'exchange'
    ? capabilities.extensions?.[tasksExtension] !== undefined
    : revision.client.requests.has('tasks/result');

/** How to run a call: now, as a task, or not at all. */
export function wayToRun(
  { caller, call, ports, limits }: Invocation,
  { name, task }: { readonly name: string; readonly task: CompiledTask | undefined },
): 'now' | CompiledTask | RpcError {
  // This is a run of the task.
  if (ports.task !== undefined) return 'now';
  const follows = followsTasks(caller);
  if (caller.revision.lifecycle === 'exchange') {
    // The server decides, for clients that declare that they can follow.
    if (task === undefined || (!follows && !task.isRequired)) return 'now';
    return follows ? task : missingExtension(name);
  }
  const asks = follows && call.params.task !== undefined && limits.tasks.isOffered;
  if (asks) return task ?? rpcError('method-not-found', `The tool ${name} cannot be called as a task`);
  if (task?.isRequired !== true) return 'now';
  return rpcError('method-not-found', `The tool ${name} must be called as a task: set params.task`);
}

const missingExtension = (name: string): RpcError =>
  rpcError('missing-client-capability', `The tool ${name} needs a client that declares ${tasksExtension}`, {
    requiredCapabilities: { extensions: { [tasksExtension]: {} } },
  });
