/** Creates tasks for calls, and answers requests about them, in the form of each revision. */
import { RpcError } from '../../../jsonrpc/errors.ts';
import { digestOf } from '../../../lib/text/canonical-json.ts';
import type { Fields } from '../../../lib/values/is.ts';
import type { MaybePromise } from '../../../lib/values/maybe-promise.ts';
import type { Settled, TaskOutcome } from '../../../ports/call-outcome.ts';
import { rpcError } from '../../../protocol/errors.ts';
import { idempotencyKey } from '../../../protocol/meta-keys.ts';
import type { Done } from '../../../protocol/neutral.ts';
import { missingExtension, tasksExtension } from '../../../protocol/tasks/extension-tasks.ts';
import { withRelatedTask } from '../../../protocol/tasks/related-task.ts';
import type { TaskForm } from '../../../protocol/tasks/task-form.ts';
import type { CallPorts } from '../../features/call-ports.ts';
import type { Invocation } from '../../features/invocation.ts';
import type { Serving } from '../../kernel/serving.ts';
import type { CompiledTask, TaskClient, TaskInvocation } from '../../ports/call-limits.ts';
import { type CallerInfo, knowsItsCaller } from '../../ports/caller.ts';
import type { Journal } from '../../ports/journal.ts';
import { readReturned } from '../../server-requests/input-responses.ts';
import { taskOver } from '../../server-requests/request-as-task.ts';
import type { TaskCall } from './engine/entries.ts';
import type { ReceivedCall } from './engine/received-calls.ts';
import { isOver } from './engine/task.ts';
import type { TaskEngine, TaskView } from './engine/task-engine.ts';
import type { TaskRecord } from './engine/task-records.ts';
import { TaskRun } from './engine/task-run.ts';
import type { ConnectedCall } from './engine/waiting-call.ts';
import { guardTask, mayFollow, seenTasks } from './guarded-tasks.ts';
import { infoOf, resultOf, wholeTask } from './task-fields.ts';
import { TaskRequests } from './task-requests.ts';

/**
 * How long a client can have the outcome of a task stored at most.
 * @limit server
 * @beyond it is stored for this time
 */
const maxTtlMs = 7 * 24 * 60 * 60_000;

/** How often a wait for a result reads the task, since hints of other processes may be lost. */
const pollMs = 1000;

export class ServerTasks {
  readonly #serving: Serving;
  readonly #engine: TaskEngine;
  readonly #requests: TaskRequests;

  constructor(serving: Serving, engine: TaskEngine) {
    this.#serving = serving;
    this.#engine = engine;
    this.#requests = new TaskRequests(engine);
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

  #orderOf({ call, ports }: TaskInvocation, task: CompiledTask) {
    const { sessionKey } = ports;
    const { progressToken, [idempotencyKey]: key } = call.meta;
    const { name, arguments: args, task: asked } = call.params;
    return {
      owner: ownerOf(ports),
      kind: `${this.#serving.registry().info.name}/${task.kind}`,
      ...(typeof key === 'string' && { key: { name: key, digest: digestOf([name, args ?? {}]) } }),
      ttlMs: Math.min(Number((asked as Fields | undefined)?.ttl ?? task.ttlMs), maxTtlMs),
      deadlineMs: task.deadlineMs,
      pollIntervalMs: task.pollIntervalMs,
      ...(sessionKey !== undefined && { creator: { session: sessionKey, ...tokenOf(progressToken) } }),
    };
  }

  async serve(invocation: TaskInvocation): Promise<Done | RpcError> {
    const { caller, call } = invocation;
    const { tasks: form } = caller.revision;
    if (form?.isFollowedBy(caller.capabilities) !== true)
      return missingExtension(`The client must declare the extension ${tasksExtension}`);
    return call.method === 'tasks/list' ? this.#list(invocation, form) : this.#serveOne(invocation, form);
  }

  async #serveOne(invocation: TaskInvocation, form: TaskForm): Promise<Done | RpcError> {
    const { call, ports } = invocation;
    const { taskId } = call.params;
    const record = await this.#engine.read(String(taskId), ownerOf(ports));
    if (record === undefined) return unknownTask(taskId);
    const refused = await guardTask(this.#engine, invocation, record);
    if (refused !== undefined) return refused === 'hidden' ? unknownTask(taskId) : refused;
    switch (call.method) {
      case 'tasks/get':
        return form.withContent === undefined
          ? answered(form.fields(infoOf(record)))
          : this.#taskWithContent(invocation, record);
      case 'tasks/result':
        return this.#result(invocation, record);
      case 'tasks/update':
        return this.#update(record, call.params.inputResponses as Fields);
      default:
        return this.#cancel(form, record);
    }
  }

  async #taskWithContent({ caller: { revision } }: TaskInvocation, { row }: TaskRecord): Promise<Done | RpcError> {
    const view = await this.#engine.view(row.id, row.owner);
    if (view === undefined) return unknownTask(row.id);
    const task = wholeTask(view, revision, this.#info);
    return task instanceof RpcError ? task : answered(task);
  }

  /** Answers without an open request are ignored: they may be repeats. */
  async #update(record: TaskRecord, responses: Readonly<Fields>): Promise<Done | RpcError> {
    const view = await this.#engine.view(record.row.id, record.row.owner);
    const answers = await readReturned(view?.journal.open, responses);
    if (answers instanceof RpcError) return answers;
    // As they were sent: every run validates them again.
    const known = Object.keys(answers).map((key) => [key, responses[key]] as const);
    await this.#engine.answer(view ?? record, Object.fromEntries(known));
    return answered({});
  }

  async #cancel(form: TaskForm, record: TaskRecord): Promise<Done | RpcError> {
    const cancelled = await this.#engine.cancel(record);
    // Acknowledged, whether or not the task was over.
    if (form.isPolled) return answered({});
    if (cancelled === 'not-found') return unknownTask(record.row.id);
    if (typeof cancelled === 'string') return alreadyFinished(record);
    const info = infoOf(cancelled);
    return answered(form.cancelled?.(info) ?? form.fields(info));
  }

  async #list(invocation: TaskInvocation, form: TaskForm): Promise<Done | RpcError> {
    const { call, ports } = invocation;
    const { cursor } = call.params;
    // The list would include tasks of other callers, and an id is enough to read a task.
    if (!knowsItsCaller({ principal: ports.principal, transport: ports.origin.transport }))
      return rpcError('method-not-found', 'Tasks are listed only for callers that have signed in');
    if (cursor !== undefined && !/^\d{1,15}$/.test(String(cursor)))
      return rpcError('invalid-params', 'The cursor is not one that this server has sent');
    const { pageSize } = this.#serving.registry();
    const page = await this.#engine.list(ownerOf(ports), cursor as string | undefined, pageSize);
    const seen = await seenTasks(this.#engine, invocation.guarded, page.tasks);
    const tasks = seen.map((record) => form.fields(infoOf(record)));
    return answered({ tasks, ...(page.next === undefined ? {} : { nextCursor: page.next }) });
  }

  /** Waits until a task has finished, and sends its requests to the client meanwhile. */
  async #result(invocation: TaskInvocation, { row }: TaskRecord): Promise<Done | RpcError> {
    const { signal } = invocation.context;
    /** Aborted when the task is over: its requests need no answer any more. */
    const asking = new AbortController();
    let refused: unknown;
    try {
      for (;;) {
        const changed = this.#nextChange(row.id, signal);
        try {
          const view = await this.#engine.view(row.id, row.owner);
          if (refused !== undefined) throw refused;
          if (signal.aborted) return rpcError('internal-error', 'The call was cancelled');
          if (view === undefined) return unknownTask(row.id);
          if (isOver(view.task)) return this.#outcome(view, invocation);
          this.#requests.send(view, invocation, asking.signal).catch((error: unknown) => {
            refused = error;
            changed.resolve();
          });
          await changed.promise;
        } finally {
          changed.stop();
        }
      }
    } finally {
      // A client that has lost its connection goes on with what it runs as a task.
      asking.abort(signal.aborted ? signal.reason : taskOver);
    }
  }

  #outcome({ row, task, journal: { outcome } }: TaskView, { caller }: TaskInvocation): Done | RpcError {
    if (task.state.is === 'cancelled' || outcome === undefined)
      return rpcError('server-error', 'The task was cancelled', { taskId: row.id });
    if (outcome instanceof RpcError) return outcome;
    const result = resultOf(outcome, caller.revision, this.#info);
    if (result instanceof RpcError) return result;
    return answered(withRelatedTask(result, row.id));
  }

  /** Sends a client the open requests of a task that it has not got, and stores its answers. */
  async ask(taskId: string, owner: string, client: TaskClient): Promise<void> {
    const view = await this.#engine.view(taskId, owner);
    if (view === undefined || !(await mayFollow(this.#engine, this.#serving.guard, client.caller, view))) return;
    await this.#requests.sendTo(client, view);
  }

  /** Resolves when a task may have changed, or it is time to read it again. */
  #nextChange(id: string, signal: AbortSignal): { readonly promise: Promise<void>; resolve(): void; stop(): void } {
    let resolve: () => void = () => {};
    const promise = new Promise<void>((settle) => {
      resolve = settle;
    });
    const unfollow = this.#engine.follow(id, resolve);
    const timer = setTimeout(resolve, pollMs);
    signal.addEventListener('abort', resolve);
    return {
      promise,
      resolve,
      stop() {
        unfollow();
        clearTimeout(timer);
        signal.removeEventListener('abort', resolve);
      },
    };
  }

  get #info() {
    return this.#serving.registry().info;
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

const refusals = {
  full: () => rpcError('overloaded', 'Too many of your tasks have not finished yet'),
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
const ownerOf = ({ principal }: TaskInvocation['ports']): string => principal?.key ?? '';

const answered = (result: Fields | RpcError): Done | RpcError =>
  result instanceof RpcError ? result : { resultType: 'complete', result };

const unknownTask = (taskId: unknown): RpcError =>
  rpcError('invalid-params', 'There is no such task, or it is no longer stored', {
    taskId: String(taskId).slice(0, 100),
  });

const alreadyFinished = ({ row }: TaskRecord): RpcError =>
  rpcError('invalid-params', 'The task has already finished and cannot be cancelled', { taskId: row.id });
