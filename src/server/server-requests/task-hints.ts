/** The tasks of one client that the server follows: a notification of their status ends the pause before the next poll. */
import { maxIdChars } from '../../jsonrpc/message.ts';
import { TenonError } from '../../lib/errors/tenon-error.ts';
import type { Notification } from '../../protocol/neutral.ts';

/**
 * Tasks of one client that the server follows.
 * @limit server
 * @beyond `ctx.elicit` and the others throw
 * @code server-request-failed
 */
const maxFollowed = 1000;

/** How many notifications are remembered that arrive before the task they are about. */
const maxEarly = 100;

export interface FollowedTask {
  /** Whether a notification has arrived since the last poll. */
  isChanged: boolean;
  /** Ends the pause. */
  wake: (() => void) | undefined;
}

export class TaskHints {
  readonly #followed = new Map<string, FollowedTask>();
  /** Over HTTP a notification may overtake the response that has the ID of its task. */
  readonly #early = new Set<string>();
  #starting = 0;

  /** A request is about to be sent as a task. Throws if too many are followed. */
  begin(): void {
    if (this.#followed.size + this.#starting >= maxFollowed)
      throw new TenonError('queue-full', `The client runs ${maxFollowed} tasks for this server already.`, {
        hint: 'Wait for some of them, or send the request without "task".',
      });
    this.#starting++;
  }

  /** The client has answered with a task, or with something else. */
  started(taskId: string | undefined): FollowedTask {
    const followed: FollowedTask = { isChanged: taskId !== undefined && this.#early.has(taskId), wake: undefined };
    if (--this.#starting === 0) this.#early.clear();
    if (taskId !== undefined) this.#followed.set(taskId, followed);
    return followed;
  }

  end(taskId: string): void {
    this.#followed.delete(taskId);
  }

  receive({ params }: Notification): void {
    const taskId = String(params?.taskId);
    const followed = this.#followed.get(taskId);
    if (followed !== undefined) {
      followed.isChanged = true;
      followed.wake?.();
    } else if (this.#starting > 0 && this.#early.size < maxEarly && taskId.length <= maxIdChars)
      this.#early.add(taskId);
  }
}
