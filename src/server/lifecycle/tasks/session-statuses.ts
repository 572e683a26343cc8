/** The tasks that a session created or asked about: its client is notified when their status changes, and of their progress. */

import type { Fields } from '../../../lib/values/is.ts';
import { isPromiseLike } from '../../../lib/values/is.ts';
import type { Notification } from '../../../protocol/neutral.ts';
import type { Revision } from '../../../protocol/revision.ts';
import { relatedTask } from '../../../protocol/tasks/related-task.ts';
import type { TaskForm, TaskInfo } from '../../../protocol/tasks/task-form.ts';
import type { Serving } from '../../kernel/serving.ts';
import type { TaskCalls, TaskClient } from '../../ports/call-limits.ts';
import type { TaskStatus, TaskStatusChange } from '../../ports/change-notifications.ts';
import type { Link } from '../../ports/link.ts';

/** The last state of a task that the client was notified of. */
interface Known {
  /** The owner that the task must have, if another session created it. */
  readonly owner: string | undefined;
  readonly changes: number;
  readonly state: string;
  readonly progress: number;
  /** The requests of the task that the client was sent, where it waits for no result. */
  readonly requests: SentRequests | undefined;
}

/** The requests of one task, as a session sends them to its client. */
class SentRequests implements TaskClient {
  readonly sent = new Set<string>();
  readonly #client: StatusPorts['client'];
  readonly #controller = new AbortController();

  constructor(client: StatusPorts['client']) {
    this.#client = client;
  }

  get caller(): TaskClient['caller'] {
    return this.#client.caller;
  }

  get send(): TaskClient['send'] {
    return this.#client.send;
  }

  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  /** The task is over: those that have no answer are cancelled. */
  end(): void {
    this.#controller.abort('the task is over');
  }
}

/**
 * Tasks that a session is notified of.
 * @limit server
 * @beyond the one it followed first is dropped
 */
const maxFollowed = 1000;

/** More than the ID of any task has. A client may ask about any text, and a session remembers it. */
const maxIdChars = 200;

const isOver = ({ status }: TaskInfo): boolean => status !== 'working' && status !== 'input_required';

const stateOf = ({ info, open }: TaskStatus): string => [info.status, ...open].join(' ');

/** The state in the answer to the call. */
const begun: Known = {
  owner: undefined,
  changes: -1,
  state: 'working',
  progress: Number.NEGATIVE_INFINITY,
  requests: undefined,
};

interface StatusPorts {
  readonly sessionKey: string;
  readonly form: TaskForm;
  readonly revision: Revision;
  notify(notification: Notification): void;
  readonly client: Pick<TaskClient, 'caller' | 'send'>;
  readonly ask: TaskCalls['ask'];
  failed(error: unknown): void;
}

/** Follows tasks for the client of a session; `undefined` where there are none to follow. */
export function createStatuses(serving: Serving, link: Link, revision: Revision): SessionStatuses | undefined {
  const { tasks: form } = revision;
  const { sessionKey } = link;
  if (form === undefined || sessionKey === undefined) return undefined;
  return new SessionStatuses({
    sessionKey,
    form,
    revision,
    notify: (notification) => link.notify(revision, notification),
    client: {
      get caller() {
        return link.listener;
      },
      send: (request, signal) => link.sendRequest(revision, request, signal),
    },
    ask: (id, owner, client) => serving.tasks.ask(id, owner, client),
    failed: (error) => serving.failed(error, { method: 'notifications/tasks/status', target: '' }),
  });
}

export class SessionStatuses {
  readonly #ports: StatusPorts;
  readonly #known = new Map<string, Known>();
  /** Tasks whose end the client knows: messages about earlier changes may arrive later, and read the last one. */
  readonly #over = new Set<string>();

  constructor(ports: StatusPorts) {
    this.#ports = ports;
  }

  /** The client asks about a task: it is notified of later changes, if its principal owns the task. */
  follow(id: string, owner: string): void {
    if (id.length > maxIdChars || this.#known.has(id) || this.#over.has(id)) return;
    const requests = this.#requestsOf(begun);
    this.#set(id, { ...begun, owner, requests });
    // They may have been sent to a session that has ended.
    if (requests !== undefined) this.#ports.ask(id, owner, requests);
  }

  changed(change: TaskStatusChange): void {
    const { task } = change;
    if (task === undefined) for (const id of this.#known.keys()) this.#read(id, change);
    else if (task.session === this.#ports.sessionKey || this.#known.has(task.id)) this.#read(task.id, change);
  }

  #read(id: string, change: TaskStatusChange): void {
    const found = change.read(id);
    if (!isPromiseLike(found)) return this.#found(id, found, change);
    found.then((status) => this.#found(id, status, change)).catch((error: unknown) => this.#ports.failed(error));
  }

  #found(id: string, status: TaskStatus | undefined, change: TaskStatusChange): void {
    if (this.#over.has(id)) return;
    const known = this.#known.get(id) ?? begun;
    const isOwn = status?.session === this.#ports.sessionKey;
    if (status === undefined || !(isOwn || status.owner === known.owner)) return void this.#known.delete(id);
    // A message about an earlier change may arrive later; nothing comes after an end.
    if (status.changes <= known.changes && !isOver(status.info)) return;
    const progress = this.#progressed(status, known, isOwn);
    const state = stateOf(status);
    const requests = this.#requestsOf(known);
    if (isOver(status.info)) {
      this.#known.delete(id);
      this.#over.add(id);
      if (this.#over.size > maxFollowed) dropFirst(this.#over);
      requests?.end();
    } else this.#set(id, { owner: known.owner, changes: status.changes, state, progress, requests });
    if (state === known.state) return;
    this.#stateChanged(status, change);
    if (requests !== undefined && status.open.length > 0) this.#ports.ask(id, status.owner, requests);
  }

  /** Absent in forms in which the client waits for the result: that wait sends the requests. */
  #requestsOf({ requests }: Known): SentRequests | undefined {
    const { form, client } = this.#ports;
    return form.notifications === undefined ? undefined : (requests ?? new SentRequests(client));
  }

  /** Notifies of progress, and returns the last progress that the client knows. */
  #progressed({ info, progress }: TaskStatus, known: Known, isOwn: boolean): number {
    const { form, notify } = this.#ports;
    const reported = info.progress?.progress;
    if (isOver(info) || reported === undefined || reported <= known.progress) return known.progress;
    if (isOwn && progress !== undefined)
      notify({ method: 'notifications/progress', params: { ...progress, _meta: related(info.taskId) } });
    if (form.notifications !== undefined) notify(form.notifications.progress(info));
    return reported;
  }

  #stateChanged(status: TaskStatus, { outcomeOf }: TaskStatusChange): void {
    const { form, revision, client, notify, failed } = this.#ports;
    const { info } = status;
    const { notifications } = form;
    if (notifications === undefined) notify({ method: 'notifications/tasks/status', params: form.fields(info) });
    else if (isOver(info))
      outcomeOf(status, revision, client.caller)
        .then((shown) => shown && notify(notifications.finished(info, shown.content)))
        .catch(failed);
  }

  #set(id: string, known: Known): void {
    this.#known.set(id, known);
    if (this.#known.size > maxFollowed) dropFirst(this.#known);
  }
}

function dropFirst(items: Map<string, unknown> | Set<string>): void {
  const [first] = items.keys();
  if (first !== undefined) items.delete(first);
}

const related = (taskId: string): Fields => ({ [relatedTask]: { taskId } });
