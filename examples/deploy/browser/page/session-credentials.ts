/** Stores credentials in this tab: they survive the redirect of a sign-in, and end with the tab. */
import type { CredentialStore, StoredCredential } from 'tenon/store';

const prefix = 'mcp:';

export function sessionCredentials(): CredentialStore {
  const stored = (key: string): StoredCredential | undefined => {
    const text = sessionStorage.getItem(prefix + key);
    return text === null ? undefined : (JSON.parse(text) as StoredCredential);
  };
  return {
    read: async (key) => stored(key),
    async swap(key, version, value) {
      if (stored(key)?.version !== version) return false;
      if (value === undefined) sessionStorage.removeItem(prefix + key);
      else sessionStorage.setItem(prefix + key, JSON.stringify({ value, version: crypto.randomUUID() }));
      return true;
    },
    lock: (key, signal) =>
      new Promise((resolve, reject) => {
        const held = (): Promise<void> => new Promise((release) => resolve(async () => release()));
        navigator.locks.request(prefix + key, signal === undefined ? {} : { signal }, held).catch(reject);
      }),
  };
}
