/** What is stored of a sign-in while the browser is elsewhere: at the provider, and on its way back. Each is taken once, on all nodes. */
import type { ProviderPending } from '../provider-client/provider-client.ts';
import type { SealedRows } from '../storage/sealed-rows.ts';
import { atProviderSeconds } from './browser-binding.ts';

/** While the browser is at the provider; found by `state`. */
export interface PendingSignIn {
  /** The sign-in for a client, or the account page. */
  readonly uid: string;
  readonly isForAccount: boolean;
  /** Whose consent was remembered: the page was not shown. */
  readonly rememberedFor?: string | undefined;
  readonly provider: ProviderPending;
  /** The digest of the cookie of the browser. */
  readonly binding: string;
}

/** Why a sign-in has failed, as the client gets it. */
export interface FailedSignIn {
  readonly error: 'access_denied' | 'server_error' | 'temporarily_unavailable';
  readonly error_description: string;
}

/** After the provider, before the client gets its code; found by the UID of the sign-in. */
export interface CompletedSignIn {
  /** Absent if the user or the provider denied it, or it has failed. */
  readonly subject?: string;
  readonly failure?: FailedSignIn;
  readonly rememberedFor?: string | undefined;
  readonly binding: string;
}

/**
 * Sign-ins that are open at a time, each for 20 minutes at most.
 * @limit auth-server
 * @beyond the address that has most of the oldest ones loses some; 503 if none has more than one
 */
export const maxOpenSignIns = 10_000;

export interface StoredSignIns {
  /** `share`: whose sign-in it is. */
  begin(pending: PendingSignIn, share: string | undefined): Promise<void>;
  take(state: string): Promise<PendingSignIn | undefined>;
  complete(uid: string, completed: CompletedSignIn): Promise<void>;
  takeCompleted(uid: string): Promise<CompletedSignIn | undefined>;
}

const expiresInMs = atProviderSeconds * 1000;

export function createStoredSignIns(rows: SealedRows): StoredSignIns {
  return {
    async begin(pending, share) {
      const isNew = await rows.write('pending-sign-in', pending.provider.state, pending, {
        expiresInMs,
        when: 'absent',
        max: maxOpenSignIns,
        share,
      });
      if (!isNew) throw new Error('a state was used twice');
    },
    take: (state) => rows.take<PendingSignIn>('pending-sign-in', state),
    complete: async (uid, completed) => void (await rows.write('completed-sign-in', uid, completed, { expiresInMs })),
    takeCompleted: (uid) => rows.take<CompletedSignIn>('completed-sign-in', uid),
  };
}
