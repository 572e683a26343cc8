/** The tasks that a session created or asked about: its client is notified when their status changes, and of their progress. */
import { isPromiseLike } from '../../../jsonrpc/promise-like.ts';
import type { Fields, Notification } from '../../../protocol/neutral.ts';
import type { TaskForm, TaskInfo } from '../../../protocol/tasks/task-form.ts';
import type { TaskStatus, TaskStatusChange } from '../../ports/change-notifications.ts';
import { relatedTask } from './task-fields.ts';

/** What the client knows of a task. */
interface Known {
  /** Whose task it must be, if another session created it. */
  readonly owner: string | undefined;
  readonly version: number;
  readonly state: string;
  readonly progress: number;
}

/** A session follows no more tasks than this; the one that it followed first is dropped. */
const maxFollowed = 1000;

const isOver = ({ status }: TaskInfo): boolean => status !== 'working' && status !== 'input_required';

const stateOf = ({ info, open }: TaskStatus): string => [info.status, ...open].join(' ');

/** As the answer to the call has shown it. */
const begun: Known = { owner: undefined, version: 0, state: 'working', progress: Number.NEGATIVE_INFINITY };

export interface StatusPorts {
  readonly sessionKey: string;
  readonly form: TaskForm;
  notify(notification: Notification): void;
  failed(error: unknown): void;
}

export class SessionStatuses {
  readonly #ports: StatusPorts;
  readonly #known = new Map<string, Known>();

  constructor(ports: StatusPorts) {
    this.#ports = ports;
  }

  /** The client asks about a task: it is notified of later changes, if its principal owns the task. */
  follow(id: string, owner: string): void {
    if (!this.#known.has(id)) this.#set(id, { ...begun, owner });
  }

  changed({ task, read }: TaskStatusChange): void {
    if (task === undefined) for (const id of this.#known.keys()) this.#look(id, read);
    else if (task.session === this.#ports.sessionKey || this.#known.has(task.id)) this.#look(task.id, read);
  }

  #look(id: string, read: TaskStatusChange['read']): void {
    const found = read(id);
    if (!isPromiseLike(found)) return this.#found(id, found);
    found.then((status) => this.#found(id, status)).catch((error: unknown) => this.#ports.failed(error));
  }

  #found(id: string, status: TaskStatus | undefined): void {
    const { sessionKey, form, notify } = this.#ports;
    const known = this.#known.get(id) ?? begun;
    const isOwn = status?.session === sessionKey;
    if (status === undefined || !(isOwn || status.owner === known.owner)) return void this.#known.delete(id);
    // A message about an earlier change may arrive later.
    if (status.version <= known.version) return;
    const { info, progress, version } = status;
    const state = stateOf(status);
    const isFurther = isOwn && !isOver(info) && progress !== undefined && progress.progress > known.progress;
    if (isFurther) notify({ method: 'notifications/progress', params: { ...progress, _meta: related(id) } });
    if (state !== known.state) notify({ method: 'notifications/tasks/status', params: form.fields(info) });
    if (isOver(info)) this.#known.delete(id);
    else
      this.#set(id, { owner: known.owner, version, state, progress: isFurther ? progress.progress : known.progress });
  }

  #set(id: string, known: Known): void {
    this.#known.set(id, known);
    const [oldest] = this.#known.keys();
    if (this.#known.size > maxFollowed && oldest !== undefined) this.#known.delete(oldest);
  }
}

const related = (taskId: string): Fields => ({ [relatedTask]: { taskId } });
