/** Calls whose user has no account at the upstream: callers that open URLs get a URL elicitation, complete once the account is connected. */
import type { RpcError } from '../../jsonrpc/errors.ts';
import { messageWithoutHint, TenonError } from '../../lib/errors/tenon-error.ts';
import { rpcError } from '../../protocol/errors.ts';
import type { SourceCaller } from '../../server/ports/source-caller.ts';
import { clientSupports } from '../../server/server-requests/client-support.ts';
import { OpenFailure } from '../connections/open-connection.ts';

/** Calls its listener once the account is connected, until it is stopped. */
export type OnConnected = (listener: () => void) => () => void;

interface Waiting {
  readonly elicitationId: string;
  readonly stop: () => void;
}

export class RequiredAccounts {
  /** Of each session, by its key and by the name of the upstream with the client: a session may have calls of several. */
  readonly #waiting = new Map<string, Map<string, Waiting>>();

  /** The error of such a call for a session whose client opens URLs. */
  errorFor({ caller, connectionKey }: SourceCaller, error: unknown): RpcError | undefined {
    const cause = error instanceof OpenFailure ? error.cause : error;
    if (!(cause instanceof TenonError) || cause.code !== 'sign-in-required') return undefined;
    const { upstream, client, connectUrl, onConnected } = cause.details;
    const { session, revision } = caller;
    if (typeof connectUrl !== 'string' || session === undefined || connectionKey === undefined) return undefined;
    // Nothing would end what waits for it.
    if (session.isEnded) return undefined;
    if (revision.errorNumbers['url-elicitation-required'] === undefined || !clientSupports(caller, 'elicitation.url'))
      return undefined;
    const ofSession = this.#waiting.get(connectionKey) ?? new Map<string, Waiting>();
    this.#waiting.set(connectionKey, ofSession);
    const name = JSON.stringify([upstream, client]);
    const known = ofSession.get(name);
    const elicitationId = known?.elicitationId ?? crypto.randomUUID();
    if (known === undefined) {
      const stop = (onConnected as OnConnected)(() => {
        ofSession.delete(name);
        const method = 'notifications/elicitation/complete';
        session.changed({ kind: 'notification', extension: undefined, method, params: { elicitationId } });
      });
      ofSession.set(name, { elicitationId, stop });
    }
    const message = messageWithoutHint(cause);
    const elicitations = [{ mode: 'url', message, url: connectUrl, elicitationId }];
    return rpcError('url-elicitation-required', message, { elicitations });
  }

  /** A session has ended. */
  ended(connectionKey: string): void {
    for (const { stop } of this.#waiting.get(connectionKey)?.values() ?? []) stop();
    this.#waiting.delete(connectionKey);
  }
}
