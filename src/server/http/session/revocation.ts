/** Ends what a principal has opened once it is revoked: here, and at the endpoints that share the store. */
import { runInBackground } from '../../../lib/values/maybe-promise.ts';
import { createPrincipal, type PrincipalDetails } from '../../../ports/principal.ts';
import { cancelledByRevocation } from '../reply/close-errors.ts';
import { cancelOwned, type ExchangeCalls } from '../reply/exchange-reply.ts';
import type { SessionHost } from './session.ts';
import { storeFailed } from './session-record.ts';
import type { SessionTable } from './session-table.ts';

/** A principal, by its key or by issuer and subject. */
export type RevokedPrincipal = string | Pick<PrincipalDetails, 'issuer' | 'subject'>;

export interface Revocation {
  /** Ends the sessions, streams, calls and tasks of a principal, here and at the endpoints that share the store. */
  revoke(principal: RevokedPrincipal): void;
  /** Adds a callback for the key of every principal that is revoked, here or at another endpoint. */
  onRevoked(listener: (owner: string) => void): void;
  /** A principal was revoked at another endpoint. */
  revokedElsewhere(owner: string): void;
}

export function createRevocation(
  calls: ExchangeCalls,
  sessions: SessionTable,
  { nodeBus, revocations, serving, warn, now }: SessionHost,
): Revocation {
  const listeners = new Set<(owner: string) => void>();
  const end = (owner: string): void => {
    cancelOwned(calls, owner, cancelledByRevocation);
    sessions.revoke(owner);
    // Every node does it: a task that one of them could not cancel does not go on.
    serving.tasks.revoke(owner);
    for (const listener of listeners) listener(owner);
  };
  return {
    revoke(principal) {
      const { key } = createPrincipal(principal);
      end(key);
      nodeBus?.publishRevoked(key);
      // For nodes that do not get the message, and for sessions that no node has in memory.
      if (revocations !== undefined)
        runInBackground(
          () => revocations.add(key, now()),
          (cause) => warn(storeFailed(cause)),
        );
    },
    onRevoked: (listener) => void listeners.add(listener),
    revokedElsewhere: end,
  };
}
