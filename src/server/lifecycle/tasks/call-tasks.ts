/** Calls that become tasks: each runs here at once where it can, and its task is created when it needs one. */
import type { RpcError } from '../../../jsonrpc/errors.ts';
import { TenonError } from '../../../lib/errors/tenon-error.ts';
import { digestOf } from '../../../lib/text/canonical-json.ts';
import type { Fields } from '../../../lib/values/is.ts';
import type { MaybePromise } from '../../../lib/values/maybe-promise.ts';
import type { Settled, TaskOutcome } from '../../../ports/call-outcome.ts';
import { shareOf } from '../../../ports/share.ts';
import { notStartedData } from '../../../protocol/error-data.ts';
import { rpcError } from '../../../protocol/errors.ts';
import { idempotencyKey } from '../../../protocol/meta-keys.ts';
import type { CallPorts } from '../../features/call-ports.ts';
import type { Invocation } from '../../features/invocation.ts';
import type { Serving } from '../../kernel/serving.ts';
import type { CompiledTask, TaskInvocation } from '../../ports/call-limits.ts';
import type { CallerInfo } from '../../ports/caller.ts';
import type { Journal } from '../../ports/journal.ts';
import type { TaskCall } from './engine/entries.ts';
import type { ReceivedCall } from './engine/received-calls.ts';
import type { TaskEngine } from './engine/task-engine.ts';
import type { TaskRecord } from './engine/task-records.ts';
import { TaskRun } from './engine/task-run.ts';
import type { ConnectedCall } from './engine/waiting-call.ts';
import { infoOf } from './task-fields.ts';

/**
 * How long a client can have the outcome of a task stored at most.
 * @limit server
 * @beyond it is stored for this time
 */
const maxTtlMs = 7 * 24 * 60 * 60_000;

/**
 * Characters of the description of a task that is created by `tasks/create`. It is written with every change of the task.
 * @limit server
 * @beyond the rest is cut off
 */
const maxDescriptionChars = 1000;

export class CallTasks {
  readonly #serving: Serving;
  readonly #engine: TaskEngine;

  constructor(serving: Serving, engine: TaskEngine) {
    this.#serving = serving;
    this.#engine = engine;
  }

  /** Creates the task of a call. */
  async begin(
    invocation: TaskInvocation,
    task: CompiledTask,
    journal: Journal | undefined,
  ): Promise<TaskOutcome | RpcError> {
    const order = this.#orderOf(invocation, task);
    const made = await this.#engine.create({ ...order, call: taskCallOf(invocation), journal });
    return typeof made === 'string' ? refusals[made]() : announced(invocation.caller, made);
  }

  /** Runs the handler of a call here and now, where it can; otherwise creates its task. */
  run(invocation: Invocation, task: CompiledTask, handle: () => MaybePromise<Settled>): MaybePromise<Settled> {
    const { answerWithinMs } = task;
    const { received } = this.#engine;
    if (answerWithinMs === 0 || !received.hasRoom) return this.begin(invocation, task, undefined);
    const order = this.#orderOf(invocation, task);
    const { ports, caller, context } = invocation;
    const isKeyed = order.key !== undefined;
    const call: ReceivedCall = {
      order,
      taskCall: () => taskCallOf(invocation),
      journal: context.earlier,
      call: new ReceivedInvocation(invocation, isKeyed),
      caller,
      of: ports,
      answerWithinMs,
    };
    if (isKeyed) return this.#runKeyed(invocation, call, handle);
    return started(invocation, received.beginUnstored(call), handle);
  }

  async #runKeyed(invocation: Invocation, call: ReceivedCall, handle: () => MaybePromise<Settled>): Promise<Settled> {
    const run = await this.#engine.received.begin(call);
    if (typeof run === 'string') return refusals[run]();
    if (!(run instanceof TaskRun)) return announced(invocation.caller, run);
    // A repeat of the call finds the task.
    invocation.context.runsOn = true;
    return started(invocation, run, handle);
  }

  #orderOf({ call, caller, ports }: TaskInvocation, task: CompiledTask) {
    const { sessionKey } = ports;
    const share = shareOf(ports);
    const { progressToken, [idempotencyKey]: key } = call.meta;
    const { name, arguments: args, task: asked } = call.params;
    // Where the server decides, the protocol has no such member, and nothing has checked it.
    const isAsked = caller.revision.tasks?.decidedBy === 'client';
    const { ttl, description }: Fields = { ...(isAsked && (asked as Fields | undefined)) };
    return {
      owner: ownerOf(ports),
      ...(share !== undefined && { share }),
      kind: `${this.#serving.registry().info.name}/${task.kind}`,
      tool: name as string,
      ...(typeof key === 'string' && { key: { name: key, digest: digestOf([name, args ?? {}]) } }),
      ttlMs: Math.min(Number(ttl ?? task.ttlMs), maxTtlMs),
      deadlineMs: task.deadlineMs,
      pollIntervalMs: task.pollIntervalMs,
      ...(typeof description === 'string' && { description: description.slice(0, maxDescriptionChars) }),
      ...(sessionKey !== undefined && { creator: { session: sessionKey, ...tokenOf(progressToken) } }),
    };
  }
}

/** The call, as it is stored. The runs of a task are not calls of their own, so that they have no idempotency key. */
function taskCallOf({ call, caller, ports }: TaskInvocation): TaskCall {
  const { revision, client, capabilities } = caller;
  const { principal, address } = ports;
  const { name, arguments: args } = call.params;
  const { [idempotencyKey]: _, ...meta } = call.meta;
  return {
    params: { name, ...(args === undefined ? {} : { arguments: args }) },
    meta,
    revision: revision.id,
    ...(client && { client }),
    capabilities,
    ...(principal && { principal: principal.issuer === '' ? principal.key : { ...principal } }),
    ...(address === undefined ? {} : { address }),
  };
}

/** Runs the handler of a call as a run of a task. */
function started(invocation: Invocation, run: TaskRun, handle: () => MaybePromise<Settled>): MaybePromise<Settled> {
  invocation.becomeRun(run);
  run.belongsTo(invocation.context);
  return handle();
}

/** The outcome of a call that has become a task. */
function announced({ revision }: CallerInfo, record: TaskRecord): TaskOutcome {
  const { tasks: form } = revision;
  const info = infoOf(record);
  return { resultType: 'task', task: form?.created?.(info) ?? form?.fields(info) ?? {} };
}

const tooManyText = 'Too many tasks are stored. Try again when some have expired.';

const tooManyTasks = (): TenonError =>
  new TenonError('too-many-tasks', tooManyText, {
    hint: 'Store results for a shorter time: ttlMs of the tool, and retentionMs of tasks.',
  });

const again = { ...notStartedData, retryAfterMs: 1000 };

const refusals = {
  full: () => rpcError('overloaded', 'Too many of your tasks have not finished yet', again),
  'too-many': () => rpcError('overloaded', tooManyText, { ...again, reason: 'too-many-tasks' }, tooManyTasks()),
  'other-call': () => rpcError('invalid-params', 'The idempotency key was used for another call'),
} as const;

/** A call that waits for its run. A class: closures per call cost throughput. */
class ReceivedInvocation implements ConnectedCall {
  readonly #invocation: Invocation;
  readonly ports: CallPorts;
  readonly hasKey: boolean;

  constructor(invocation: Invocation, hasKey: boolean) {
    this.#invocation = invocation;
    this.ports = invocation.ports;
    this.hasKey = hasKey;
  }

  get progressToken(): unknown {
    return this.#invocation.call.meta.progressToken;
  }

  get isCancelled(): boolean {
    return this.#invocation.isCancelled;
  }

  announce(record: TaskRecord): void {
    const { guarded, caller } = this.#invocation;
    guarded?.announced({ id: record.row.id, attempt: record.task.attempts });
    this.ports.settled(announced(caller, record));
  }
}

const tokenOf = (token: unknown): { readonly progressToken?: string | number } =>
  typeof token === 'string' || typeof token === 'number' ? { progressToken: token } : {};

/** The owner of the tasks of a request. Without authentication, the ID of a task is enough to read it. */
export const ownerOf = ({ principal }: TaskInvocation['ports']): string => principal?.key ?? '';
