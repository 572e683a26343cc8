/** Principals that were revoked, in the store: a node that did not receive it, or resumes a session later, finds it there. */
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

/** A hash: who it was is not in the store. */
async function keyOf(owner: string): Promise<string> {
  const digest = await crypto.subtle.digest('SHA-256', new TextEncoder().encode(owner));
  return `revoked/${Array.from(new Uint8Array(digest), (byte) => byte.toString(16).padStart(2, '0')).join('')}`;
}
