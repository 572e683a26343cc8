/** Credentials in the memory of this process. They are lost when it exits. */

import { TenonError } from '../../lib/errors/tenon-error.ts';
import { deadlinesIn } from '../../lib/time/internal-deadlines.ts';
import type { CredentialStore } from '../credential-store.ts';
import { createKeyLocks } from './key-locks.ts';

/** The options of `memoryCredentials()`. */
export interface MemoryCredentialsOptions {
  /** How many are stored. */
  readonly maxEntries?: number;
  /** How long `lock` waits. */
  readonly lockTimeoutMs?: number;
}

/**
 * Stored credentials in memory.
 * @limit credentials
 * @beyond the least recently used is deleted
 */
const defaultEntries = 10_000;

/**
 * Characters of one stored value as JSON. Tokens of a few servers, with a key, are a tenth of it.
 * @limit credentials
 * @beyond it is not stored
 * @code invalid-argument
 */
export const maxCredentialChars = 256 * 1024;

interface Entry {
  /** JSON, so that a value that is changed later is not changed here. */
  readonly text: string;
  readonly version: string;
}

/**
 * Creates a store of credentials in memory. Clients of one process that share it share their tokens.
 *
 * @example
 * ```ts
 * const credentials = memoryCredentials();
 * ```
 */
export function memoryCredentials(options: MemoryCredentialsOptions = {}): CredentialStore {
  const { maxEntries = defaultEntries, lockTimeoutMs = 300_000, ...others } = options;
  requireNone(Object.keys(others));
  requirePositive('maxEntries', maxEntries);
  requirePositive('lockTimeoutMs', lockTimeoutMs);
  const entries = new Map<string, Entry>();
  const acquire = createKeyLocks(deadlinesIn(options));
  let versions = 0;

  /** The last in the map is the most recently used. */
  function put(key: string, entry: Entry): void {
    entries.delete(key);
    entries.set(key, entry);
  }

  return {
    async read(key) {
      const entry = entries.get(key);
      if (entry === undefined) return undefined;
      put(key, entry);
      return { value: JSON.parse(entry.text), version: entry.version };
    },
    async swap(key, version, value) {
      const text = credentialText(value);
      if (entries.get(key)?.version !== version) return false;
      if (text === undefined) entries.delete(key);
      else put(key, { text, version: String(++versions) });
      const [leastUsed = key] = entries.keys();
      if (entries.size > maxEntries) entries.delete(leastUsed);
      return true;
    },
    async lock(key, signal) {
      const release = await acquire(key, lockTimeoutMs, signal);
      return async () => release();
    },
  };
}

/** The value as JSON; nothing for `undefined`, which deletes. Its errors have nothing of the value in them. */
export function credentialText(value: unknown): string | undefined {
  if (value === undefined) return undefined;
  let text: string | undefined;
  try {
    text = JSON.stringify(value);
  } catch {
    text = undefined;
  }
  if (text === undefined) throw wrongValue('It is not plain JSON.', 'Store objects, lists, texts and numbers only.');
  if (text.length > maxCredentialChars)
    throw wrongValue(`It has more than ${maxCredentialChars} characters.`, 'Store less under one key.');
  return text;
}

const wrongValue = (problem: string, hint: string): TenonError =>
  new TenonError('invalid-argument', `A credential cannot be stored. ${problem}`, { hint });

/** An option that is misspelt would be ignored. */
function requireNone([other]: readonly string[]): void {
  if (other === undefined) return;
  throw new TenonError('invalid-argument', `memoryCredentials(): ${other} is not an option.`, {
    hint: 'Its options are maxEntries and lockTimeoutMs.',
    details: { place: other },
  });
}

function requirePositive(name: string, value: unknown): void {
  if (Number.isSafeInteger(value) && (value as number) > 0) return;
  throw new TenonError('invalid-argument', `memoryCredentials(): ${name} is not valid.`, {
    hint: `${name} must be an integer over 0.`,
    details: { place: name },
  });
}
