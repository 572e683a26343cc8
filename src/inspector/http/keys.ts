/** The token of the printed link, tokens that are used once, and the keys of tabs that were exchanged for them. */
import { createHash, randomBytes, timingSafeEqual } from 'node:crypto';
import { InspectorError } from '../api-error.ts';

/**
 * Tabs.
 * @limit inspector
 * @beyond the least recently used one enters again
 * @code wrong-key
 */
const maxKeys = 100;

export class Keys {
  readonly token: string;
  /** Digests of keys, the least recently used first. */
  readonly #keys = new Map<string, string>();
  /** Digests of tokens that are used once. */
  readonly #single = new Set<string>();
  #count = 0;

  constructor(token: string = randomBytes(32).toString('base64url')) {
    this.token = token;
  }

  /** A token for one tab, for a link that passes through other programs. */
  singleToken(): string {
    const token = randomBytes(32).toString('base64url');
    this.#single.add(named(token));
    return token;
  }

  /** A key for a tab. The token of the process stays valid as long as it runs: the printed link can be opened again. */
  enter(token: string): string {
    if (!timingSafeEqual(digest(token), digest(this.token)) && !this.#single.delete(named(token)))
      throw new InspectorError(
        'wrong-token',
        'The token of the link is not the one of this process.',
        'Open the link that was printed when the inspector was last started.',
      );
    return this.issue();
  }

  /** A key for a tab that may enter. */
  issue(): string {
    const key = randomBytes(32).toString('base64url');
    this.#keys.set(named(key), `t${++this.#count}`);
    const [oldest = ''] = this.#keys.keys();
    if (this.#keys.size > maxKeys) this.#keys.delete(oldest);
    return key;
  }

  /** The tab that sends a request. */
  tabOf(authorization: string | undefined): string {
    const [, key = ''] = /^Bearer ([\w-]{1,100})$/.exec(authorization ?? '') ?? [];
    // Found by its digest, so that the time of the search reveals nothing about a key.
    const tab = this.#keys.get(named(key));
    if (tab === undefined)
      throw new InspectorError('wrong-key', 'This tab has no valid key.', 'Open the printed link again.');
    this.#keys.delete(named(key));
    this.#keys.set(named(key), tab);
    return tab;
  }
}

const digest = (text: string): Buffer => createHash('sha256').update(text).digest();
const named = (key: string): string => digest(key).toString('base64url');
