/** Sign-ins of a web application that are under way: stored, so that any process can finish them, each once. */
import type { CredentialStore } from '../../../store/credential-store.ts';
import { signInsKey } from '../records.ts';
import type { OAuthClient } from '../registration/client.ts';
import type { SentRequest } from './authorization-request.ts';

/** A person was redirected, and has not come back yet. */
export interface PendingSignIn extends SentRequest {
  readonly client: OAuthClient;
  readonly scopes: readonly string[] | undefined;
  readonly resource: string;
  readonly serverUrl: string;
  /** Whether the tokens are to be bound to a key. */
  readonly isBound: boolean;
}

interface StoredSignIn extends PendingSignIn {
  readonly until: number;
}

/**
 * Sign-ins of a web application that are under way. A person may leave as often as they like.
 * @limit credentials
 * @beyond the oldest is dropped; `finishSignIn` fails
 * @code authorization-failed
 */
const maxPending = 16;

/**
 * How long a sign-in of a web application may be under way.
 * @limit credentials
 * @beyond it is dropped; `finishSignIn` fails
 * @code authorization-failed
 */
const pendingMs = 10 * 60_000;

const maxSwaps = 20;

export async function addPendingSignIn(store: CredentialStore, added: PendingSignIn): Promise<void> {
  const until = Date.now() + pendingMs;
  await change(store, (pending) => ({
    after: [...pending, { ...added, until }].slice(-maxPending),
    result: undefined,
  }));
}

/** The sign-in with this state, which no one else gets any more. */
export const takePendingSignIn = (store: CredentialStore, state: string): Promise<PendingSignIn | undefined> =>
  change(store, (pending) => ({
    after: pending.filter((one) => one.state !== state),
    result: pending.find((one) => one.state === state),
  }));

async function change<T>(
  store: CredentialStore,
  run: (pending: readonly StoredSignIn[]) => { after: readonly StoredSignIn[]; result: T },
): Promise<T | undefined> {
  for (let tries = 0; tries < maxSwaps; tries++) {
    const before = await store.read(signInsKey);
    const pending = ((before?.value as StoredSignIn[] | undefined) ?? []).filter(({ until }) => until > Date.now());
    const { after, result } = run(pending);
    if (await store.swap(signInsKey, before?.version, after.length === 0 ? undefined : after)) return result;
  }
  return undefined;
}
