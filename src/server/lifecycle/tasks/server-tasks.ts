/** Creates tasks for calls, and answers requests about them, in revisions with sessions and in the extension. */
import { RpcError, TenonError } from '../../../jsonrpc/errors.ts';
import { digestOf } from '../../../protocol/canonical-json.ts';
import { rpcError } from '../../../protocol/errors.ts';
import { idempotencyKey } from '../../../protocol/meta-keys.ts';
import type { Done, Fields, InputRequest } from '../../../protocol/neutral.ts';
import { missingExtension, tasksExtension } from '../../../protocol/tasks/extension-tasks.ts';
import { withRelatedTask } from '../../../protocol/tasks/related-task.ts';
import type { TaskForm } from '../../../protocol/tasks/task-form.ts';
import type { Serving } from '../../kernel/serving.ts';
import type { CompiledTask, TaskInvocation } from '../../ports/call-limits.ts';
import type { TaskOutcome } from '../../ports/call-outcome.ts';
import { knowsItsCaller } from '../../ports/caller.ts';
import type { Journal } from '../../ports/journal.ts';
import { taskOver } from '../../server-requests/client-tasks/request-as-task.ts';
import { readReturned } from '../../server-requests/input-responses.ts';
import { ClientTaskIds } from './client-task-ids.ts';
import { isOver } from './engine/task.ts';
import type { TaskEngine, TaskView } from './engine/task-engine.ts';
import type { TaskRecord } from './engine/task-records.ts';
import { infoOf, resultOf, wholeTask } from './task-fields.ts';

/** The longest time that a client can have a result stored for. */
const maxTtlMs = 7 * 24 * 60 * 60_000;

/** How often a wait for a result looks itself: hints of other processes may be lost. */
const lookMs = 1000;

export class ServerTasks {
  readonly #serving: Serving;
  readonly #engine: TaskEngine;
  /** Tasks whose requests are being sent to a client, so that no other wait sends them too. */
  readonly #asking = new Set<string>();
  readonly #clientTasks = new ClientTaskIds();

  constructor(serving: Serving, engine: TaskEngine) {
    this.#serving = serving;
    this.#engine = engine;
  }

  /** Creates the task of a call. */
  async begin(
    { call, caller, ports }: TaskInvocation,
    task: CompiledTask,
    journal: Journal | undefined,
  ): Promise<TaskOutcome | RpcError> {
    const { revision, client, capabilities } = caller;
    const { principal } = ports;
    const { name, arguments: given, task: asked } = call.params;
    // The runs of the task are not calls of their own.
    const { [idempotencyKey]: key, ...meta } = call.meta;
    const made = await this.#engine.create({
      owner: ownerOf(ports),
      kind: `${this.#serving.registry().info.name}/${task.kind}`,
      ...(typeof key === 'string' && { key: { name: key, digest: digestOf([name, given ?? {}]) } }),
      call: {
        params: { name, ...(given === undefined ? {} : { arguments: given }) },
        meta,
        revision: revision.id,
        ...(client && { client }),
        capabilities,
        ...(principal && { principal: principal.issuer === '' ? principal.key : { ...principal } }),
      },
      journal,
      ttlMs: Math.min(Number((asked as Fields | undefined)?.ttl ?? task.ttlMs), maxTtlMs),
      deadlineMs: task.deadlineMs,
      pollIntervalMs: task.pollIntervalMs,
    });
    if (made === 'full') return rpcError('overloaded', 'Too many of your tasks have not finished yet');
    if (made === 'other-call') return rpcError('invalid-params', 'The idempotency key was used for another call');
    return { resultType: 'task', task: revision.tasks?.fields(infoOf(made)) ?? {} };
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
    switch (call.method) {
      case 'tasks/get':
        return form.isPolled ? this.#whole(invocation, form, record) : answered(form.fields(infoOf(record)));
      case 'tasks/result':
        return this.#result(invocation, record);
      case 'tasks/update':
        return this.#update(record, call.params.inputResponses as Fields);
      default:
        return this.#cancel(form, record);
    }
  }

  async #whole(
    { caller: { revision } }: TaskInvocation,
    form: TaskForm,
    { row }: TaskRecord,
  ): Promise<Done | RpcError> {
    const view = await this.#engine.view(row.id, row.owner);
    if (view === undefined) return unknownTask(row.id);
    return answered(wholeTask(view, form.fields(infoOf(view)), revision, this.#info));
  }

  /** Answers without an open request are ignored: they may have been given before. */
  async #update(record: TaskRecord, given: Readonly<Fields>): Promise<Done | RpcError> {
    const view = await this.#engine.view(record.row.id, record.row.owner);
    const answers = await readReturned(view?.journal.open, given);
    if (answers instanceof RpcError) return answers;
    // As they were sent: every run validates them again.
    const known = Object.keys(answers).map((key) => [key, given[key]] as const);
    await this.#engine.answer(view ?? record, Object.fromEntries(known));
    return answered({});
  }

  async #cancel(form: TaskForm, record: TaskRecord): Promise<Done | RpcError> {
    const cancelled = await this.#engine.cancel(record);
    // Acknowledged, whether or not the task was over.
    if (form.isPolled) return answered({});
    if (cancelled === 'gone') return unknownTask(record.row.id);
    return typeof cancelled === 'string' ? overAlready(record) : answered(form.fields(infoOf(cancelled)));
  }

  async #list({ call, ports }: TaskInvocation, form: TaskForm): Promise<Done | RpcError> {
    const { cursor } = call.params;
    // The tasks of others would be among them, and their ids are all that is needed to read them.
    if (!knowsItsCaller({ principal: ports.principal, transport: ports.origin.transport }))
      return rpcError('method-not-found', 'Tasks are listed only for callers that have signed in');
    if (cursor !== undefined && !/^\d{1,15}$/.test(String(cursor)))
      return rpcError('invalid-params', 'The cursor is not one that this server has sent');
    const { pageSize } = this.#serving.registry();
    const page = await this.#engine.list(ownerOf(ports), cursor as string | undefined, pageSize);
    const tasks = page.tasks.map((record) => form.fields(infoOf(record)));
    return answered({ tasks, ...(page.next === undefined ? {} : { nextCursor: page.next }) });
  }

  /** Waits until a task is over, and sends its client what the task requests meanwhile. */
  async #result(invocation: TaskInvocation, { row }: TaskRecord): Promise<Done | RpcError> {
    const { signal } = invocation.context;
    for (;;) {
      const changed = this.#nextChange(row.id, signal);
      try {
        const view = await this.#engine.view(row.id, row.owner);
        if (signal.aborted) return rpcError('internal-error', 'The call was cancelled');
        if (view === undefined) return unknownTask(row.id);
        if (isOver(view.task)) return this.#outcome(view, invocation);
        const isAsked = Object.keys(view.journal.open).length > 0 && !this.#asking.has(row.id);
        if (isAsked && invocation.ports.send !== undefined) await this.#ask(view, invocation);
        else await changed.promise;
      } finally {
        changed.stop();
      }
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

  /** Sends the open requests of a task to its client, and stores the answers. They are cancelled if the task ends. */
  async #ask({ row, journal }: TaskView, { ports: { send }, context }: TaskInvocation): Promise<void> {
    const { id } = row;
    const asking = new AbortController();
    const abort = (): void => asking.abort(context.signal.reason);
    context.signal.addEventListener('abort', abort);
    this.#asking.add(id);
    void this.#abortWhenOver(row, asking);
    try {
      const answers = Object.entries(journal.open).map(async ([key, request]) => {
        const sent = { ...related(request, id), task: request.task ?? { ttlMs: Math.max(row.endsAt - row.now, 1) } };
        const memory = this.#clientTasks.memoryOf(id, key);
        const answer = await send?.(sent, asking.signal, undefined, memory).catch(failedAnswer);
        const record = await this.#engine.read(id, row.owner);
        if (record === undefined || asking.signal.aborted) return;
        await this.#engine.answer(record, { [key]: answer });
        this.#clientTasks.forget(id, key);
      });
      await Promise.all(answers);
    } finally {
      this.#asking.delete(id);
      context.signal.removeEventListener('abort', abort);
      asking.abort(taskOver);
    }
  }

  async #abortWhenOver({ id, owner }: TaskView['row'], asking: AbortController): Promise<void> {
    while (!asking.signal.aborted) {
      const changed = this.#nextChange(id, asking.signal);
      await changed.promise;
      changed.stop();
      if (asking.signal.aborted) return;
      // A store that fails now may answer at the next look.
      const record = await this.#engine.read(id, owner).catch(() => 'unknown' as const);
      if (record === undefined || (record !== 'unknown' && isOver(record.task))) asking.abort(taskOver);
    }
  }

  /** Resolves when a task may have changed, or it is time to look. */
  #nextChange(id: string, signal: AbortSignal): { readonly promise: Promise<void>; stop(): void } {
    let resolve: () => void = () => {};
    const promise = new Promise<void>((settle) => {
      resolve = settle;
    });
    const unfollow = this.#engine.follow(id, resolve);
    const timer = setTimeout(resolve, lookMs);
    signal.addEventListener('abort', resolve);
    return {
      promise,
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

/** Whose tasks a request is about. Without authentication, the ID of a task is all that a client has to know. */
const ownerOf = ({ principal }: TaskInvocation['ports']): string => principal?.key ?? '';

const related = ({ method, params }: InputRequest, taskId: string): InputRequest => ({
  method,
  params: withRelatedTask(params, taskId),
});

/** What is stored if the client does not answer; the handler gets it as an error. */
function failedAnswer(error: unknown): Fields {
  if (error instanceof RpcError) throw error;
  return { failed: error instanceof TenonError ? error.message : 'The client did not answer' };
}

const answered = (result: Fields | RpcError): Done | RpcError =>
  result instanceof RpcError ? result : { resultType: 'complete', result };

const unknownTask = (taskId: unknown): RpcError =>
  rpcError('invalid-params', 'There is no such task, or it is no longer stored', {
    taskId: String(taskId).slice(0, 100),
  });

const overAlready = ({ row }: TaskRecord): RpcError =>
  rpcError('invalid-params', 'The task is over already and cannot be cancelled', { taskId: row.id });
