/** The uses of the keys of a call. If a later run uses a key for something else, the handler has changed. */
import { type Journal } from '../../ports/journal.ts';
import { changedUse } from '../request-errors.ts';

export type KeyUse = 'request' | 'step' | 'sleep';

export class KeyUses {
  readonly #stored: ReadonlyMap<KeyUse, Readonly<Record<string, unknown>>>;
  /** The uses of this run. */
  readonly #used = new Set<string>();

  constructor({ steps, answers, requested, sleeps = {} }: Journal) {
    const sent = Object.entries(answers).filter(([, { digest }]) => digest !== undefined);
    this.#stored = new Map<KeyUse, Readonly<Record<string, unknown>>>([
      ['step', steps],
      ['sleep', sleeps],
      ['request', { ...requested, ...Object.fromEntries(sent) }],
    ]);
  }

  /** Throws `replay-diverged` if earlier runs used the key only for something else. */
  use(key: string, as: KeyUse): void {
    this.#used.add(`${as} ${key}`);
    const stored = [...this.#stored].filter(([, keys]) => Object.hasOwn(keys, key)).map(([use]) => use);
    const [first] = stored;
    if (first === undefined || stored.some((use) => this.#used.has(`${use} ${key}`))) return;
    throw changedUse(key, first, as);
  }
}
