/** Sessions whose records are being read, and the messages of other endpoints about them meanwhile. */
import type { RpcError } from '../../../../jsonrpc/errors.ts';
import { rpcError } from '../../../../protocol/errors.ts';
import type { SessionMessage } from './node-bus.ts';

export interface ResumingSession {
  readonly key: string;
  readonly owner: string | undefined;
  readonly messages: SessionMessage[];
}

/**
 * Messages of other nodes while the record of a session is read.
 * @limit HTTP
 * @beyond the session cannot be resumed now
 * @code overloaded
 */
const maxMessages = 1000;
const changesTooFast = rpcError('overloaded', 'The session is changing too fast to be resumed here', {
  retryAfterMs: 1000,
});

/** Why a session cannot be resumed now, if messages about it are missing. */
export const tooManyMessages = ({ messages }: ResumingSession): RpcError | undefined =>
  messages.length >= maxMessages ? changesTooFast : undefined;

/** Whether another endpoint has ended it. */
export const hasEnded = ({ messages }: ResumingSession): boolean => messages.some(({ kind }) => kind === 'ended');

export class ResumingSessions {
  readonly #sessions = new Set<ResumingSession>();

  begin(key: string, owner: string | undefined): ResumingSession {
    const session = { key, owner, messages: [] };
    this.#sessions.add(session);
    return session;
  }

  end(session: ResumingSession): void {
    this.#sessions.delete(session);
  }

  /** Sessions of a principal that is revoked meanwhile have ended. */
  revoke(owner: string, reason: string): void {
    for (const { owner: own, messages } of this.#sessions) if (own === owner) messages.push({ kind: 'ended', reason });
  }

  onNodeMessage(key: string, message: SessionMessage): void {
    for (const { key: resumed, messages } of this.#sessions)
      if (resumed === key && messages.length < maxMessages) messages.push(message);
  }
}
