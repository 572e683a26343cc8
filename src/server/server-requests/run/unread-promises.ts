/** Finds requests that a handler sent and whose answer it never read: an `await` was forgotten. */
import { TenonError } from '../../../lib/errors/tenon-error.ts';

export class UnreadPromises {
  readonly #unread = new Map<object, string>();

  /** The same promise. `await`, `then` and `Promise.all` all read `constructor` of a promise, and nothing else does. */
  watch<T>(call: string, promise: Promise<T>): Promise<T> {
    this.#unread.set(promise, call);
    const unread = this.#unread;
    return Object.defineProperty(promise, 'constructor', {
      configurable: true,
      get() {
        unread.delete(promise);
        return Promise;
      },
    });
  }

  /** The first one, once the handler has returned. */
  problem(): TenonError | undefined {
    const [call] = this.#unread.values();
    if (call === undefined) return undefined;
    return new TenonError('callback-failed', `The handler returned and never read the result of ${call}.`, {
      hint: `Write await ${call}.`,
      details: { call },
    });
  }
}
