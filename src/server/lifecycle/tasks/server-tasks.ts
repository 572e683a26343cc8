/** Answers requests about tasks, in the form of each revision. */
import { RpcError } from '../../../jsonrpc/errors.ts';
import type { Fields } from '../../../lib/values/is.ts';
import { rpcError } from '../../../protocol/errors.ts';
import type { Done } from '../../../protocol/neutral.ts';
import { missingExtension, tasksExtension } from '../../../protocol/tasks/extension-tasks.ts';
import { withRelatedTask } from '../../../protocol/tasks/related-task.ts';
import type { TaskForm } from '../../../protocol/tasks/task-form.ts';
import type { Serving } from '../../kernel/serving.ts';
import type { TaskClient, TaskInvocation } from '../../ports/call-limits.ts';
import { knowsItsCaller } from '../../ports/caller.ts';
import { readReturned } from '../../server-requests/input-responses.ts';
import { taskOver } from '../../server-requests/request-as-task.ts';
import { ownerOf } from './call-tasks.ts';
import { isOver } from './engine/task.ts';
import type { TaskEngine, TaskView } from './engine/task-engine.ts';
import type { TaskRecord } from './engine/task-records.ts';
import { guardTask, mayFollow, seenTasks } from './guarded-tasks.ts';
import { infoOf, resultOf, statusOf, wholeTask } from './task-fields.ts';
import { TaskRequests } from './task-requests.ts';

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
        // While it works, a task has no content: a poll does not read its journal, which may be long.
        return form.withContent === undefined || statusOf(record.task) === 'working'
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
    const answers = await readReturned(view?.journal.open, responses, view?.journal.asked?.isForwarded);
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
          const record = await this.#engine.read(row.id, row.owner);
          const view =
            record && this.#needsJournal(record, invocation) ? await this.#engine.view(row.id, row.owner) : undefined;
          if (refused !== undefined) throw refused;
          if (signal.aborted) return rpcError('internal-error', 'The call was cancelled');
          if (record === undefined) return unknownTask(row.id);
          if (view !== undefined && isOver(view.task)) return this.#outcome(view, invocation);
          if (view !== undefined)
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

  /** A journal may be long: hundreds of waits that read it every second would take all the time of the server. */
  #needsJournal(record: TaskRecord, invocation: TaskInvocation): boolean {
    return isOver(record.task) || this.#requests.hasUnsent(record, invocation);
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

const answered = (result: Fields | RpcError): Done | RpcError =>
  result instanceof RpcError ? result : { resultType: 'complete', result };

const unknownTask = (taskId: unknown): RpcError =>
  rpcError('invalid-params', 'There is no such task, or it is no longer stored', {
    taskId: String(taskId).slice(0, 100),
  });

const alreadyFinished = ({ row }: TaskRecord): RpcError =>
  rpcError('invalid-params', 'The task has already finished and cannot be cancelled', { taskId: row.id });
