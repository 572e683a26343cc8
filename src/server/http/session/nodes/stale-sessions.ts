/** Sessions that other endpoints have updated, or about which messages may have been lost: each is read again from its record. */
import type { OfferedRevisions } from '../../../lifecycle/offered-revisions.ts';
import { principalRevoked } from '../../../ports/link.ts';
import type { HttpSession, SessionHost } from '../session.ts';
import { storeFailed } from '../session-record.ts';
import { readUpdates, refreshSession } from './refreshed-session.ts';
import { StorePoll } from './store-poll.ts';

type Drop = (session: HttpSession, reason: string) => void;

/** What may be newer in the record: what its client has set, or everything. */
type Staleness = 'updated' | 'missed';

/**
 * Records that are read at once after messages of the bus were lost.
 * @limit HTTP
 * @beyond the others wait
 */
const maxReads = 16;

export class StaleSessions {
  readonly #sessions = new Map<HttpSession, Staleness>();
  readonly #poll: StorePoll;

  readonly #drop: Drop;

  constructor({ serving, store, revocations, warn }: SessionHost, offered: OfferedRevisions, drop: Drop) {
    this.#drop = drop;
    const one = async ([session, staleness]: [HttpSession, Staleness]): Promise<void> => {
      // Before it is read: what is lost meanwhile makes it stale again.
      this.#sessions.delete(session);
      try {
        if (staleness === 'missed' && (await revocations?.concerns(session.owner, session.expires))) {
          drop(session, principalRevoked);
          await store.sessions.delete(session.key);
          return;
        }
        const read = staleness === 'missed' ? refreshSession : readUpdates;
        const found = await read(session, offered);
        if (found === undefined) drop(session, 'its record was deleted');
        else if (found === 'in part') this.#add(session, 'updated');
      } catch (cause) {
        // It is tried again in a second.
        this.#add(session, staleness);
        throw cause;
      }
    };
    this.#poll = new StorePoll({
      deadlines: serving.deadlines,
      failed: (cause) => warn(storeFailed(cause)),
      isWaiting: () => this.#sessions.size > 0,
      read: () => eachOf([...this.#sessions], one),
    });
  }

  /** Messages may have been lost. Sessions that no client uses now are dropped, and read from their records when one does. */
  missed(sessions: readonly HttpSession[]): void {
    for (const session of sessions)
      if (session.isInUse) this.#add(session, 'missed');
      else this.#drop(session, 'messages about it may have been lost');
    if (this.#sessions.size > 0) this.#poll.now();
  }

  /** Another endpoint has updated its record. */
  updated(session: HttpSession): void {
    this.#add(session, 'updated');
    this.#poll.now();
  }

  delete(session: HttpSession): void {
    this.#sessions.delete(session);
  }

  #add(session: HttpSession, staleness: Staleness): void {
    if (this.#sessions.get(session) !== 'missed') this.#sessions.set(session, staleness);
  }
}

/** The first failure ends it: the store fails for the others as well. */
async function eachOf<T>(items: T[], run: (item: T) => Promise<void>): Promise<void> {
  const next = async (): Promise<void> => {
    for (let item = items.pop(); item !== undefined; item = items.pop()) await run(item);
  };
  await Promise.all(Array.from({ length: maxReads }, next));
}
