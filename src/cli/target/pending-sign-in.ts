/** The sign-in to a server that waits for a person: other commands on the server say so instead of waiting for it. */
import { setTimeout as delay } from 'node:timers/promises';
import { TenonError } from '../../lib/errors/tenon-error.ts';
import type { CredentialStore } from '../../store/credential-store.ts';

/** The page to open, and the code to enter there, if it needs one. */
export interface SignInPage {
  readonly url: string;
  readonly code?: string;
}

/**
 * Time that a command waits for another that renews the credentials of the same server. `--timeout` replaces it.
 * @limit command line
 * @beyond the command fails
 * @code authorization-failed
 */
const credentialsMs = 30_000;

const checkMs = 100;

const keyOf = (serverUrl: string): string => `pending sign-in ${serverUrl}`;

/** Stores where a person signs in to the server, or that the sign-in has ended. */
export async function setPendingSignIn(store: CredentialStore, serverUrl: string, page?: SignInPage): Promise<void> {
  const key = keyOf(serverUrl);
  const before = await store.read(key);
  if (before !== undefined || page !== undefined) await store.swap(key, before?.version, page);
}

/** The same store, whose locks are not waited for while a person signs in, nor longer than `timeoutMs`. */
export const withoutSignInWaits = (
  store: CredentialStore,
  serverUrl: string,
  timeoutMs = credentialsMs,
): CredentialStore => ({
  read: (key) => store.read(key),
  swap: (key, version, value) => store.swap(key, version, value),
  async lock(key, signal) {
    const stop = new AbortController();
    const signals = signal === undefined ? [stop.signal] : [signal, stop.signal];
    const locking = store.lock(key, AbortSignal.any(signals)).finally(() => stop.abort());
    try {
      return await Promise.race([locking, refusal(store, serverUrl, timeoutMs, stop.signal)]);
    } catch (error) {
      stop.abort();
      // It may have been acquired at the same moment.
      void locking.then((release) => release()).catch(() => {});
      throw error;
    }
  },
});

/** Rejects when the lock is not worth waiting for. */
async function refusal(
  store: CredentialStore,
  serverUrl: string,
  timeoutMs: number,
  signal: AbortSignal,
): Promise<never> {
  const until = performance.now() + timeoutMs;
  while (!signal.aborted) {
    await delay(checkMs, undefined, { signal }).catch(() => {});
    const page = signal.aborted ? undefined : ((await store.read(keyOf(serverUrl)))?.value as SignInPage | undefined);
    if (page !== undefined) throw pending(serverUrl, page);
    if (performance.now() >= until) throw held(serverUrl, timeoutMs);
  }
  return new Promise<never>(() => {});
}

const pending = (serverUrl: string, { url, code }: SignInPage): TenonError =>
  new TenonError(
    'sign-in-required',
    `A sign-in to ${serverUrl} is pending at ${url}${code === undefined ? '' : `, with the code ${code}`}.`,
    {
      hint: 'Finish it in a browser, or cancel it with tenon answer ID --decline; tenon answer shows its ID.',
      details: { serverUrl, page: url },
    },
  );

const held = (serverUrl: string, timeoutMs: number): TenonError =>
  new TenonError(
    'authorization-failed',
    `Another process holds the credentials for ${serverUrl} for over ${timeoutMs} ms.`,
    { hint: 'It may be signing in: try again when it has ended.', details: { serverUrl, timeoutMs } },
  );

export const isPendingSignIn = ({ details }: TenonError): boolean => details.page !== undefined;
