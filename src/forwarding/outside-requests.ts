/** Requests that another server sends outside the calls of its clients: they go to the session of its client. */
import type { Fields } from '../lib/values/is.ts';
import type { SourceSession } from '../server/ports/source-session.ts';
import type { RemoteRequest, RemoteServer, ReplyError } from './remote-call.ts';
import { inputRequestOf, isForClients, methodNotFound, replyErrorOf } from './server-request.ts';

/**
 * Requests of one instance outside calls that wait for its client at once.
 * @limit official
 * @beyond the server gets an error, `onDropped` is called
 */
const maxOutsideRequests = 100;

export interface OutsidePorts {
  readonly instance: Pick<RemoteServer, 'reply'>;
  /** Absent where every request of the client comes alone. */
  readonly session: SourceSession | undefined;
  dropped(method: string, reason: string): void;
}

export class OutsideRequests {
  readonly #waiting = new Map<string | number, AbortController>();
  /** The roots that the client has answered in its last call: where there is no session, they are the answer. */
  roots: Fields | undefined;

  send(request: RemoteRequest, { instance, session, dropped }: OutsidePorts): void {
    const { id, method } = request;
    const refuse = (error: ReplyError): void => {
      dropped(method, error.message);
      instance.reply(id, { error });
    };
    if (!isForClients(method)) return refuse(methodNotFound(method));
    if (session === undefined && method === 'roots/list' && this.roots !== undefined)
      return instance.reply(id, { result: this.roots });
    if (session === undefined) return refuse(noSession(method));
    if (this.#waiting.size >= maxOutsideRequests) return refuse(tooMany);
    const controller = new AbortController();
    this.#waiting.set(id, controller);
    session
      .sendRequest(inputRequestOf(request), controller.signal)
      .then(
        (result) => instance.reply(id, { result: result as Fields }),
        (error: unknown) => instance.reply(id, { error: replyErrorOf(error) }),
      )
      .finally(() => this.#waiting.delete(id));
  }

  /** The instance no longer waits for an answer. */
  withdrawn(id: string | number): void {
    this.#waiting.get(id)?.abort('the server no longer waits for the answer');
  }

  close(): void {
    for (const controller of this.#waiting.values()) controller.abort('the server behind the bridge has closed');
  }
}

const noSession = (method: string): ReplyError => ({
  code: -32601,
  message: `${method} is only answered during a call: this client has no session.`,
});

const tooMany: ReplyError = { code: -32603, message: 'Too many requests of the server wait for its client.' };
