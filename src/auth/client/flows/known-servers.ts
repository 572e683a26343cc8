/** The servers that a store has tokens for: a list of their URLs, so that all of them can be signed out after a restart. */
import type { CredentialStore } from '../../../store/credential-store.ts';
import { readRecord, replaceRecord, serversKey } from '../records.ts';

/**
 * Servers in the list of `signOut()` without a URL.
 * @limit credentials
 * @beyond the oldest are signed out by their URL only
 */
const maxServers = 1000;

/**
 * Characters of that list: half of what a store takes as one value.
 * @limit credentials
 * @beyond the oldest are signed out by their URL only
 */
const maxChars = 128 * 1024;

/** The URLs, the newest last. */
export const knownServers = async (store: CredentialStore): Promise<readonly string[]> =>
  (await readRecord<readonly string[]>(store, serversKey)) ?? [];

export async function addKnownServer(store: CredentialStore, url: string, signal?: AbortSignal): Promise<void> {
  if ((await knownServers(store)).includes(url)) return;
  await change(store, (urls) => withinLimits([...urls, url]), signal);
}

export const deleteKnownServer = (store: CredentialStore, url: string): Promise<void> =>
  change(store, (urls) => (urls.includes(url) ? urls.filter((one) => one !== url) : urls));

/** Many servers share the record: without the lock, swaps of other processes would win too often. */
async function change(
  store: CredentialStore,
  run: (urls: readonly string[]) => readonly string[],
  signal?: AbortSignal,
): Promise<void> {
  const release = await store.lock(serversKey, signal);
  try {
    await replaceRecord(store, serversKey, (before) => {
      const after = run((before as readonly string[] | undefined) ?? []);
      return after.length === 0 ? undefined : after;
    });
  } finally {
    await release();
  }
}

function withinLimits(urls: readonly string[]): readonly string[] {
  let chars = 0;
  const fits = (url: string): boolean => {
    chars += url.length;
    return chars <= maxChars;
  };
  return urls.slice(-maxServers).reverse().filter(fits).reverse();
}
