/** Principals that were revoked, in the store: a node that did not receive it, or resumes a session later, finds it there. */

import { sha256Hex } from '../../../../lib/text/hex.ts';
import type { SessionStore } from '../../../../store/session-store.ts';

export class StoredRevocations {
  readonly #sessions: SessionStore;
  readonly #maxAgeMs: number;

  /** No session is older than `maxAgeMs`. */
  constructor(sessions: SessionStore, maxAgeMs: number) {
    this.#sessions = sessions;
    this.#maxAgeMs = maxAgeMs;
  }

  async add(owner: string, moment: number): Promise<void> {
    await this.#sessions.create(await keyOf(owner), { at: String(moment) }, moment + this.#maxAgeMs);
  }

  /** Whether the principal was revoked since a session of it began, which expires at this time. */
  async concerns(owner: string | undefined, expires: number): Promise<boolean> {
    if (owner === undefined) return false;
    const fields = await this.#sessions.read(await keyOf(owner));
    return fields !== undefined && Number(fields.at) >= expires - this.#maxAgeMs;
  }
}

/** A hash: the store does not contain the name of the principal. */
const keyOf = async (owner: string): Promise<string> => `revoked/${await sha256Hex(owner)}`;
