/** Progress and log messages of a call for its caller at another node: one after the other, by the bus. */
import type { NodeMessages } from './node-messages.ts';
import type { RoundNotification } from './round-run.ts';

/**
 * Progress and log messages of a call that wait to be sent to the node where its caller waits.
 * @limit gateway
 * @beyond older progress is left out, and log messages are dropped
 */
const maxNotifications = 100;

/**
 * Characters of a progress or log message for a caller at another node.
 * @limit gateway
 * @beyond it is dropped
 */
const maxNotificationChars = 32 * 1024;

export class RoundNotifications {
  readonly #id: string;
  readonly #messages: NodeMessages;
  #waiting: RoundNotification[] = [];
  #sending: Promise<void> | undefined;

  constructor(id: string, messages: NodeMessages) {
    this.#id = id;
    this.#messages = messages;
  }

  add(notification: RoundNotification): void {
    if (JSON.stringify(notification).length > maxNotificationChars) return;
    const last = this.#waiting.at(-1);
    const isNewer = last?.method === 'progress' && notification.method === 'progress';
    if (isNewer) this.#waiting.pop();
    if (this.#waiting.length >= maxNotifications) return;
    this.#waiting.push(notification);
    this.#sending ??= this.#send();
  }

  /** Resolves when all are sent, so that they arrive before the outcome. */
  async sent(): Promise<void> {
    await this.#sending;
  }

  async #send(): Promise<void> {
    try {
      for (let next = this.#waiting.shift(); next !== undefined; next = this.#waiting.shift())
        await this.#messages.publish({ kind: 'notified', id: this.#id, notification: next });
    } catch (cause) {
      this.#waiting = [];
      this.#messages.failed(cause);
    } finally {
      this.#sending = undefined;
    }
  }
}
