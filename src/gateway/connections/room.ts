/** How many connections all upstreams have together: an idle one closes where there is no room for another. */
import { SlotShares } from '../../server/ports/slot-shares.ts';

/** What may have an idle connection. */
export interface RoomUser {
  /** When the one that has been idle for the longest time was last used; absent if none is idle. */
  idleSince(): number | undefined;
  closeIdle(): void;
}

export class ConnectionRoom {
  readonly max: number;
  /** Those in use. */
  readonly shares: SlotShares;
  readonly #users = new Set<RoomUser>();
  #count = 0;

  constructor(max: number) {
    this.max = max;
    this.shares = new SlotShares(max, true);
  }

  add(user: RoomUser): void {
    this.#users.add(user);
  }

  remove(user: RoomUser): void {
    this.#users.delete(user);
  }

  /** Takes room for one connection; false if each one is in use. */
  take(): boolean {
    if (this.#count >= this.max && !this.#closeOldest()) return false;
    this.#count++;
    return true;
  }

  release(): void {
    this.#count--;
  }

  #closeOldest(): boolean {
    let oldest: { readonly user: RoomUser; readonly since: number } | undefined;
    for (const user of this.#users) {
      const since = user.idleSince();
      if (since !== undefined && (oldest === undefined || since < oldest.since)) oldest = { user, since };
    }
    oldest?.user.closeIdle();
    return oldest !== undefined;
  }
}
