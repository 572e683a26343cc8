/** Decides whether a call of a tool runs as a task: by the options of the tool, and by the capabilities of the client. */
import type { RpcError } from '../../jsonrpc/errors.ts';
import {
  checkOptions,
  durationOrZero,
  group,
  positive,
  type Rule,
  type Rules,
} from '../../lib/options/option-rules.ts';
import { rpcError } from '../../protocol/errors.ts';
import { missingExtension, tasksExtension } from '../../protocol/tasks/extension-tasks.ts';
import type { TaskOptions, TaskRetry, ToolOptions } from '../definition/tool.ts';
import type { CompiledTask } from '../ports/call-limits.ts';
import type { Invocation } from './invocation.ts';

const support: Rule = {
  holds: (value) => value === 'optional' || value === 'required',
  must: "be 'optional' or 'required'",
};

/** More attempts would only hide a permanent error. */
const maxAttempts = 100;

const retryRules: Rules & Record<keyof TaskRetry, Rule> = {
  attempts: {
    holds: (value) => Number.isSafeInteger(value) && Number(value) >= 1 && Number(value) <= maxAttempts,
    must: `be a whole number, 1 to ${maxAttempts}`,
  },
  backoffMs: durationOrZero,
  maxBackoffMs: durationOrZero,
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
  retry: group(retryRules),
  version: { holds: (value) => typeof value === 'string' && value !== '', must: 'be a text that is not empty' },
};

const hourMs = 60 * 60_000;

export function compileTask(
  name: string,
  option: ToolOptions<never, undefined>['task'] | undefined,
): CompiledTask | undefined {
  if (option === undefined) return undefined;
  const options = typeof option === 'string' ? { support: option } : option;
  checkOptions(`tools.${name}.task`, options, rules);
  const { support: chosen = 'optional', ttlMs = hourMs, deadlineMs = 24 * hourMs, pollIntervalMs = 1000 } = options;
  const {
    version = '',
    begins = 'at-once',
    retry: { attempts = 1, backoffMs = 1000, maxBackoffMs = 60_000 } = {},
  } = options;
  const byHandler = begins === 'by-handler';
  return {
    isRequired: chosen === 'required',
    byHandler,
    kind: `${name}@${version}`,
    ttlMs,
    deadlineMs,
    pollIntervalMs,
    retry: { attempts, backoffMs, maxBackoffMs },
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
