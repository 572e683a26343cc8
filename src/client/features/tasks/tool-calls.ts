/** Calls of tools that become tasks: decides whether one is requested, remembers it, and follows it to its result. */
import { RpcError } from '../../../jsonrpc/errors.ts';
import { TenonError } from '../../../lib/errors/tenon-error.ts';
import type { Fields } from '../../../lib/values/is.ts';
import { isRecord } from '../../../lib/values/is.ts';
import type { Done } from '../../../protocol/neutral.ts';
import type { CallOptions, ToolCallOptions } from '../../api/client.ts';
import type { Task } from '../../api/tasks.ts';
import type { CreatedTask } from '../../calls/attempt.ts';
import { checkCall } from '../../calls/call-options.ts';
import type { ToolCaller } from '../../calls/calls.ts';
import type { KnownTools } from '../../calls/known-tools.ts';
import { notSent } from '../../calls/shown-call.ts';
import type { Connection } from '../../connection/connection.ts';
import { type FollowPorts, fetchTask, followTask } from './follow.ts';
import type { RememberedTasks } from './remembered-tasks.ts';
import { isNotFound, lacksTasks, notFollowed } from './task-errors.ts';
import { isOver, readTask } from './task-fields.ts';
import { takesTasks } from './task-support.ts';

export interface ToolCallPorts extends FollowPorts {
  readonly calls: ToolCaller;
  readonly knownTools: KnownTools;
  readonly remembered: RememberedTasks | undefined;
  /** Lists all tools, which `knownTools` notes. */
  listTools(options: CallOptions): Promise<unknown>;
}

export class ToolCalls {
  readonly #ports: ToolCallPorts;

  constructor(ports: ToolCallPorts) {
    this.#ports = ports;
  }

  /** Whether a call needs nothing of `begin`: most calls. */
  isPlain(options: ToolCallOptions | undefined): boolean {
    const { current } = this.#ports.supervisor;
    if (current === undefined || takesTasks(current)) return false;
    // Invalid options are refused by the call.
    if (!isRecord(options)) return true;
    if (options.task !== undefined && options.task !== false) return false;
    return options.idempotencyKey === undefined || this.#ports.remembered === undefined;
  }

  /** Sends the call; a call that is remembered by its key is not sent again. */
  async begin(params: Fields, options: ToolCallOptions = {}): Promise<Done | CreatedTask> {
    checkCall('tools/call', params, options);
    const { supervisor, calls } = this.#ports;
    supervisor.callStarted();
    try {
      const connection = supervisor.current ?? (await this.#waitToSend(params, options));
      const resumed = await this.#resume(params, options);
      if (resumed !== undefined) return resumed;
      const task = await this.#requestedTask(connection, String(params.name), options);
      if (task === undefined) return await calls.callTool(params, options);
      const { createdBy } = connection.conversation.revision.tasks ?? {};
      if (createdBy !== undefined) return await this.#create(createdBy, params, options);
      return await calls.callTool({ ...params, task }, options);
    } finally {
      supervisor.callFinished();
    }
  }

  /** Creates a task by a request of its own. Its progress comes under the ID of the task. */
  async #create(
    method: string,
    { name, arguments: parameters, _meta }: Fields,
    callOptions: ToolCallOptions,
  ): Promise<CreatedTask> {
    const { task: _, onTask: _onTask, onTaskStatus: _onStatus, ...options } = callOptions;
    const { calls, hints, settings } = this.#ports;
    const params = { name, parameters: parameters ?? {}, ...(_meta !== undefined && { _meta }) };
    const { result } = await calls.request(method, params, options);
    const { onProgress } = options;
    const unlisten =
      onProgress &&
      hints.onProgress(String(result.taskId), (progress) =>
        settings.callUser('onProgress', () => onProgress(progress)),
      );
    return { resultType: 'task', task: result, endProgress: () => unlisten?.() };
  }

  async #waitToSend(params: Fields, options: ToolCallOptions): Promise<Connection> {
    const { supervisor, settings } = this.#ports;
    const { timeoutMs = settings.timeoutMs, maxTotalTimeoutMs: totalMs = timeoutMs, signal } = options;
    try {
      return await supervisor.waitForConnection({ timeoutMs: Math.min(timeoutMs, totalMs), signal });
    } catch (error) {
      throw notSent(error, 'tools/call', params);
    }
  }

  /** The result of a call, followed if it is a task. One that was sent with a `task` of its own is not. */
  async call(params: Fields, options?: ToolCallOptions): Promise<Fields> {
    const begun = this.#ports.settings.deadlines.now();
    const isOwn = params.task !== undefined;
    const outcome = await (isOwn ? this.#ports.calls.callTool(params, options) : this.begin(params, options));
    if (outcome.resultType === 'complete') return outcome.result;
    if (!isOwn) return this.follow(outcome, params, options, begun);
    outcome.endProgress();
    return { task: outcome.task };
  }

  /** Follows the task of a call that was begun at a moment of the client's clock. */
  async follow(created: CreatedTask, params: Fields, options: ToolCallOptions = {}, begun: number): Promise<Fields> {
    const { remembered, settings } = this.#ports;
    const { timeoutMs, signal, answers, idempotencyKey, onTask, onTaskStatus, maxTotalTimeoutMs: totalMs } = options;
    const first = readTask(created.task);
    const { taskId } = first.task;
    try {
      await remembered?.add(taskId, params, idempotencyKey).catch((error: unknown) => {
        throw notFollowed(error, taskId);
      });
      if (onTask !== undefined) await notify(onTask, first.task);
      const result = await followTask(this.#ports, taskId, first, {
        ...(timeoutMs !== undefined && { timeoutMs }),
        ...(signal && { signal }),
        ...(answers && { answers }),
        ...(onTaskStatus && { onTaskStatus }),
        ...(totalMs !== undefined && {
          maxTotalTimeoutMs: Math.max(1, begun + totalMs - settings.deadlines.now()),
        }),
      });
      await this.#forget(taskId);
      return result;
    } catch (error) {
      if (remembered !== undefined && (await this.#isFinal(error, taskId))) await this.#forget(taskId);
      throw error;
    } finally {
      created.endProgress();
    }
  }

  /** Whether the task is over, so that nothing is left to follow. An error may also be that of a request about it. */
  async #isFinal(error: unknown, taskId: string): Promise<boolean> {
    if (error instanceof TenonError)
      return error.code === 'cancelled' ? error.details.isCancelled === true : endCodes.has(error.code);
    if (!(error instanceof RpcError)) return false;
    const fetched = this.#ports.calls.request('tasks/get', { taskId });
    return fetched.then(
      ({ result }) => isOver(readTask(result).task),
      () => false,
    );
  }

  /** The call has its result: that it could not be forgotten is only a warning. */
  async #forget(taskId: string): Promise<void> {
    const { remembered, settings } = this.#ports;
    await remembered?.delete(taskId).catch((error: Error) => settings.warn(error));
  }

  async #resume(params: Fields, { idempotencyKey, ...options }: ToolCallOptions): Promise<CreatedTask | undefined> {
    const { remembered } = this.#ports;
    if (remembered === undefined || idempotencyKey === undefined) return undefined;
    const taskId = await remembered.find(idempotencyKey, params);
    if (taskId === undefined) return undefined;
    try {
      const fields = await fetchTask(this.#ports, taskId, options);
      return { resultType: 'task', task: asFields(fields), endProgress: () => {} };
    } catch (error) {
      if (!isNotFound(error)) throw error;
      await remembered.delete(taskId);
      return undefined;
    }
  }

  /** The `task` of the params, where the client decides whether there is one. */
  async #requestedTask(
    connection: Connection,
    name: string,
    { task, timeoutMs, signal }: ToolCallOptions,
  ): Promise<Fields | undefined> {
    const { revision } = connection.conversation;
    const isRequested = task !== undefined && task !== false;
    if (task === false || revision.tasks?.decidedBy === 'server') return undefined;
    if (!takesTasks(connection)) {
      if (isRequested) throw noTasks(revision.id);
      return undefined;
    }
    // Tools of older versions do not say whether they run as tasks.
    if (isRequested && revision.tasks?.createdBy !== undefined) return {};
    const { knownTools } = this.#ports;
    if (knownTools.taskSupport(name) === undefined)
      await this.#ports.listTools({ ...(timeoutMs !== undefined && { timeoutMs }), ...(signal && { signal }) });
    const support = knownTools.taskSupport(name) ?? 'forbidden';
    if (isRequested && support === 'forbidden') throw runsNoTask(name);
    if (!isRequested && support !== 'required') return undefined;
    return typeof task === 'object' && task.ttlMs !== undefined ? { ttl: task.ttlMs } : {};
  }
}

/** Errors after which there is no task to follow. */
const endCodes: ReadonlySet<string> = new Set(['task-cancelled', 'task-not-found', 'outcome-unknown']);

async function notify(onTask: (task: Task) => unknown, task: Task): Promise<void> {
  try {
    await onTask(task);
  } catch (cause) {
    throw notFollowed(new TenonError('callback-failed', 'The callback onTask threw.', { cause }), task.taskId);
  }
}

const asFields = ({ task, result, error }: Awaited<ReturnType<typeof fetchTask>>): Fields => ({
  ...task,
  ...(result && { result }),
  ...(error && { error }),
});

const noTasks = (revision: string): TenonError =>
  lacksTasks(
    `The server runs no calls as tasks under protocol version ${revision}.`,
    'Nothing was sent. Leave the option "task" out to call the tool plainly.',
  );

const runsNoTask = (name: string): TenonError =>
  lacksTasks(
    `The tool ${JSON.stringify(name)} does not run as a task.`,
    'Nothing was sent. Leave the option "task" out to call it plainly.',
  );
