/** Notifications of extensions that one session has received: their handlers run at once, up to a number. */
import { TenonError } from '../../lib/errors/tenon-error.ts';
import type { Fields } from '../../lib/values/is.ts';
import type { Principal } from '../../ports/principal.ts';
import type { Serving } from '../kernel/serving.ts';
import type { CallerInfo } from '../ports/caller.ts';

/**
 * Handlers of notifications that run at once for a session.
 * @limit server
 * @beyond the notification is dropped, `onError` gets the code
 * @code queue-full
 */
const maxRunning = 100;

export class ReceivedNotifications {
  readonly #serving: Serving;
  #running = 0;

  constructor(serving: Serving) {
    this.#serving = serving;
  }

  /** Runs the handler, if there is one. A client gets no answer, so that nothing else would slow it down. */
  receive(method: string, params: Fields, caller: CallerInfo, principal: Principal | undefined): void {
    const { registry, failed } = this.#serving;
    const handle = registry().notifications.get(method);
    if (handle === undefined) return;
    const report = (error: unknown): void => failed(error, { method, target: '' });
    if (this.#running >= maxRunning) return report(tooMany(method));
    this.#running++;
    void handle({ caller, principal }, params, report).finally(() => this.#running--);
  }
}

const tooMany = (method: string): TenonError =>
  new TenonError('queue-full', `${method} of a client was dropped: ${maxRunning} handlers of its notifications run.`, {
    hint: 'Return sooner from handlers of notifications, or send fewer.',
    details: { maxRunning },
  });
