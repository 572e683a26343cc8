/** `client.tasks`: reads, lists, watches, answers and cancels tasks, and gets their results. */
import type { TenonError } from '../../../lib/errors/tenon-error.ts';
import { wrong } from '../../../lib/options/option-rules.ts';
import type { Fields } from '../../../lib/values/is.ts';
import { isRecord } from '../../../lib/values/is.ts';
import { ownContent } from '../../../protocol/fitting/structured.ts';
import type { CallToolResult } from '../../../protocol/generated/types/records.ts';
import type { CallOptions, ClientTasks, WaitOptions, Watcher } from '../../api/client.ts';
import { createListing, type PaginatedList } from '../../api/listing.ts';
import type { Task } from '../../api/tasks.ts';
import { checkCall } from '../../calls/call-options.ts';
import { declares } from '../../connection/capabilities.ts';
import type { Connection } from '../../connection/connection.ts';
import { fetchTask, followTask } from './follow.ts';
import type { RememberedTasks } from './remembered-tasks.ts';
import { asNotFound, isNotFound, lacksTasks, throwRefusal } from './task-errors.ts';
import { isOver, readTask } from './task-fields.ts';
import { canCancel, hasTasks } from './task-support.ts';
import { type WatchTaskPorts, watchTask } from './watch-task.ts';

export interface ClientTasksPorts extends WatchTaskPorts {
  readonly remembered: RememberedTasks | undefined;
}

/** Methods are separate functions, as all methods of a client are. */
export class TaskMethods implements ClientTasks {
  readonly #ports: ClientTasksPorts;

  constructor(ports: ClientTasksPorts) {
    this.#ports = ports;
  }

  readonly get = async (taskId: string, options?: CallOptions): Promise<Task> => {
    await this.#ready('tasks.get()', taskId, options);
    return readTask(await this.#request('tasks/get', { taskId }, options)).task;
  };

  readonly list = (options: CallOptions = {}): PaginatedList<Task> =>
    createListing<Task>('tasks', {
      fetch: async (params, signal) => {
        checkCall('tasks.list()', undefined, options);
        return this.#page(params, signal === undefined ? options : { ...options, signal });
      },
      limits: this.#ports.settings.listLimits,
    });

  readonly watch = async (taskId: string, onChange: (task: Task) => void, options?: WaitOptions): Promise<Watcher> =>
    watchTask(this.#ports, await this.get(taskId, options), onChange);

  readonly answer: ClientTasks['answer'] = async (taskId, answers, options) => {
    const { revision } = (await this.#ready('tasks.answer()', taskId, options)).conversation;
    if (revision.tasks?.isPolled !== true)
      throw lacksTasks(
        `Protocol version ${revision.id} has no answers to tasks.`,
        'The server sends its requests to your "handlers" while client.tasks.result() waits.',
      );
    if (!isRecord(answers))
      throw wrong('tasks.answer()', 'answers', "be an object: an answer for each key of the task's inputRequests");
    await this.#request('tasks/update', { taskId, inputResponses: { ...answers } }, options).catch((error: unknown) =>
      throwRefusal(error, () => this.get(taskId, options)),
    );
  };

  readonly cancel = async (taskId: string, options?: CallOptions): Promise<void> => {
    if (!canCancel(await this.#ready('tasks.cancel()', taskId, options)))
      throw lacksTasks('The server did not declare tasks.cancel.', nothingSent);
    try {
      await this.#request('tasks/cancel', { taskId }, options);
    } catch (error) {
      // In sessions a server answers with this error also for a task that is over.
      if (!isNotFound(error) || !isOver(await this.get(taskId, options))) throw error;
    }
  };

  readonly result = async (taskId: string, options: CallOptions = {}): Promise<CallToolResult> => {
    const { remembered, settings } = this.#ports;
    await this.#ready('tasks.result()', taskId, options);
    const result = await followTask(this.#ports, taskId, undefined, options);
    await remembered?.delete(taskId).catch((error: Error) => settings.warn(error));
    return ownContent(result) as unknown as CallToolResult;
  };

  async #ready(place: string, taskId: unknown, options: CallOptions | undefined): Promise<Connection> {
    checkCall(place, undefined, options);
    if (typeof taskId !== 'string' || taskId === '') throw wrong(place, 'taskId', 'be the ID of a task');
    return this.#connected(options);
  }

  /** A connection whose protocol version and server have tasks. */
  async #connected({ timeoutMs, signal }: CallOptions = {}): Promise<Connection> {
    const { supervisor, settings } = this.#ports;
    const connection =
      supervisor.current ??
      (await supervisor.waitForConnection({ timeoutMs: timeoutMs ?? settings.timeoutMs, signal }));
    const { tasks, id } = connection.conversation.revision;
    if (tasks === undefined) throw lacksTasks(`Protocol version ${id} has no tasks.`, nothingSent);
    if (!hasTasks(connection)) throw lacksTasks('The server did not declare tasks.', nothingSent);
    return connection;
  }

  async #request(method: string, params: Fields, options: CallOptions | undefined): Promise<Fields> {
    try {
      return (await this.#ports.calls.request(method, params, options)).result;
    } catch (error) {
      throw asNotFound(error, String(params.taskId));
    }
  }

  async #page(params: Fields, options: CallOptions): Promise<Fields> {
    const { remembered, calls } = this.#ports;
    const { conversation, capabilities } = await this.#connected(options);
    const isListed = conversation.revision.client.requests.has('tasks/list') && declares(capabilities, 'tasks.list');
    if (!isListed) {
      if (remembered === undefined) throw unlisted(conversation.revision.id);
      return { tasks: await this.#readRemembered(remembered, options) };
    }
    const { tasks, ...rest } = (await calls.request('tasks/list', params, options)).result;
    return { ...rest, tasks: (tasks as Fields[]).map((fields) => readTask(fields).task) };
  }

  /** The remembered tasks that the server still knows. */
  async #readRemembered(remembered: RememberedTasks, options: CallOptions): Promise<Task[]> {
    const tasks: Task[] = [];
    for (const { taskId } of await remembered.list()) {
      try {
        tasks.push((await fetchTask(this.#ports, taskId, options)).task);
      } catch (error) {
        if (!isNotFound(error)) throw error;
        await remembered.delete(taskId);
      }
    }
    return tasks;
  }
}

const nothingSent = 'Nothing was sent.';

const unlisted = (revision: string): TenonError =>
  lacksTasks(
    `The server does not list tasks (protocol version ${revision}).`,
    "Remember them: connect(target, { tasks: { memory: taskFile('./tasks.json') } }).",
  );
