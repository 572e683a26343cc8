/** Requests of a server about tasks on one connection: it starts tasks, and asks for their status and result. */
import { RpcError } from '../../../jsonrpc/errors.ts';
import type { RequestId } from '../../../jsonrpc/message.ts';
import type { Peer } from '../../../jsonrpc/peer.ts';
import { TenonError } from '../../../lib/errors/tenon-error.ts';
import type { Fields } from '../../../lib/values/is.ts';
import { isRecord } from '../../../lib/values/is.ts';
import { rpcError } from '../../../protocol/errors.ts';
import type { Incoming } from '../../../protocol/neutral.ts';
import type { Revision } from '../../../protocol/revision.ts';
import { relatedTask, withRelatedTask } from '../../../protocol/tasks/related-task.ts';
import { callFinishedText, maxServerRequests } from '../answering.ts';
import { answer, answerFailure, type ClientHandlers, handlerFailed } from '../handlers.ts';
import type { OwnedRequest, OwningCalls } from '../owning-calls.ts';
import { progressSender } from '../progress-sender.ts';
import { alreadyFinished, outcomeOf, type RunningTask, type RunningTasks } from './running-tasks.ts';

export interface TaskRequestsPorts {
  readonly peer: Peer;
  readonly calls: OwningCalls;
  readonly handlers: ClientHandlers;
  /** The handlers of the call that a request belongs to. */
  handlersFor(owned: OwnedRequest): ClientHandlers;
  warn(error: Error): void;
}

/** The requests that a client with these handlers runs as tasks. */
const runsAsTask = ({ elicitForm, elicitUrl, sample }: ClientHandlers, method: string): boolean =>
  method === 'sampling/createMessage'
    ? sample !== undefined
    : method === 'elicitation/create' && (elicitForm ?? elicitUrl) !== undefined;

export class TaskRequests {
  readonly #tasks: RunningTasks;
  readonly #ports: TaskRequestsPorts;
  /** `tasks/result` requests whose task is not over. */
  readonly #waiting = new Set<RequestId>();
  /** The tasks that end with this connection. */
  readonly #own = new Set<RunningTask>();
  #isClosed = false;
  /** Set with the first request about tasks. */
  #onChange: RunningTasks['onChange'];

  constructor(tasks: RunningTasks, ports: TaskRequestsPorts) {
    this.#tasks = tasks;
    this.#ports = ports;
  }

  /** Whether a request is about tasks, or is to run as one. */
  takes(revision: Revision, { method, params }: Incoming): boolean {
    if (!revision.server.requests.has('tasks/get')) return false;
    return method.startsWith('tasks/') || (params.task !== undefined && runsAsTask(this.#ports.handlers, method));
  }

  /** `call` is the call in whose response it arrived, if known. */
  receive(revision: Revision, id: RequestId, request: Incoming, call: RequestId | undefined): void {
    this.#onChange ??= (task) => this.#notify(revision, task);
    this.#tasks.onChange = this.#onChange;
    const { method, params } = request;
    const answered = (outcome: Fields | RpcError): void => this.#answer(revision, id, method, outcome);
    if (!method.startsWith('tasks/')) return this.#run(revision, id, request, call);
    if (method === 'tasks/list') return answered(this.#list(revision, params.cursor));
    const task = this.#tasks.find(String(params.taskId));
    if (task instanceof RpcError) return answered(task);
    if (method === 'tasks/result') return void this.#result(task, id, answered);
    const isDone =
      method === 'tasks/get' || this.#tasks.change(task, { type: 'cancel', reason: 'cancelled by the server' });
    answered(isDone ? this.#fields(revision, task) : alreadyFinished(task));
  }

  /** The server no longer waits for the result of a task. Returns whether it did. */
  cancel(id: RequestId): boolean {
    return this.#waiting.delete(id);
  }

  /** The connection has closed. Tasks of calls end with them; those of a task of the server continue. */
  end(): void {
    this.#isClosed = true;
    this.#waiting.clear();
    // The server may use another connection already.
    if (this.#tasks.onChange === this.#onChange) this.#tasks.onChange = undefined;
    for (const task of this.#own) this.#tasks.change(task, { type: 'cancel', reason: 'the connection closed' });
  }

  #run(revision: Revision, id: RequestId, request: Incoming, call: RequestId | undefined): void {
    const { method, meta, params } = request;
    const { calls } = this.#ports;
    const endsWithCalls = !isRecord(meta[relatedTask]);
    if (endsWithCalls && calls.isOver(call))
      return this.#answer(revision, id, method, rpcError('internal-error', callFinishedText));
    const task = this.#tasks.create((params.task as { ttl?: number }).ttl);
    if (task instanceof RpcError) return this.#answer(revision, id, method, task);
    this.#answer(revision, id, method, { task: this.#fields(revision, task) });
    if (endsWithCalls) this.#own.add(task);
    const owned = calls.add(call, (isCancelled) => {
      if (isCancelled && endsWithCalls) this.#tasks.change(task, { type: 'cancel', reason: 'its call was cancelled' });
    });
    void this.#carryOut(revision, request, task, this.#ports.handlersFor(owned));
    void this.#release(task, owned);
  }

  async #release(task: RunningTask, owned: OwnedRequest): Promise<void> {
    await task.over.promise;
    this.#own.delete(task);
    this.#ports.calls.remove(owned);
  }

  async #carryOut(revision: Revision, request: Incoming, task: RunningTask, handlers: ClientHandlers): Promise<void> {
    const { peer, warn } = this.#ports;
    const { signal } = task.controller;
    const isRunning = (): boolean => task.state.is === 'working' && !this.#isClosed;
    try {
      const reportProgress = progressSender(peer, revision, request, isRunning);
      const result = await answer(handlers, request, { signal, reportProgress });
      const written = revision.wire.writeResult(revision, 'server', request.method, { resultType: 'complete', result });
      if (!written.ok) throw new TenonError('invalid-outgoing-message', (await written.refusal.explain()).text);
      this.#tasks.change(task, { type: 'answer', result: written.value });
    } catch (error) {
      const failure = answerFailure(error);
      // An error after the cancellation is not reported.
      if (failure !== error && !signal.aborted) warn(handlerFailed(error, request.method));
      this.#tasks.change(task, { type: 'fail', error: failure });
    }
  }

  async #result(task: RunningTask, id: RequestId, answered: (outcome: Fields | RpcError) => void): Promise<void> {
    if (this.#waiting.size >= maxServerRequests) return answered(rpcError('overloaded', tooManyText));
    this.#waiting.add(id);
    await task.over.promise;
    if (!this.#waiting.delete(id)) return;
    const outcome = outcomeOf(task);
    answered(outcome instanceof RpcError ? outcome : withRelatedTask(outcome, task.taskId));
  }

  #list(revision: Revision, cursor: unknown): Fields | RpcError {
    const page = this.#tasks.list(cursor);
    if (page instanceof RpcError) return page;
    const tasks = page.tasks.map((task) => this.#fields(revision, task));
    return { tasks, ...(page.next !== undefined && { nextCursor: page.next }) };
  }

  #fields(revision: Revision, task: RunningTask): Fields {
    return revision.tasks?.fields(this.#tasks.infoOf(task)) ?? {};
  }

  #answer(revision: Revision, id: RequestId, method: string, result: Fields | RpcError): void {
    const { peer } = this.#ports;
    const refuse = (error: RpcError): void => peer.refuse(id, revision.wire.writeError(revision, error));
    if (result instanceof RpcError) return refuse(result);
    const written = revision.wire.writeResult(revision, 'server', method, { resultType: 'complete', result });
    if (written.ok) peer.answer(id, written.value);
    else refuse(rpcError('internal-error', written.refusal.message));
  }

  #notify(revision: Revision, task: RunningTask): void {
    const method = 'notifications/tasks/status';
    const written = revision.wire.writeNotification(revision, 'client', {
      method,
      params: this.#fields(revision, task),
    });
    if (written.ok) this.#ports.peer.notify(method, written.value);
  }
}

const tooManyText = `This client lets at most ${maxServerRequests} requests wait for results of tasks`;
