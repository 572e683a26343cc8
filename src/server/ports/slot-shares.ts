/** Slots that callers share by name: none may hold more of them than it leaves free for the others. */
import { FairPool, Holding } from './fair-pool.ts';

export class SlotShares {
  readonly #pool: FairPool;
  /** What callers without a principal hold together. */
  readonly #anonymous: Holding;
  /** By share. It grows with the shares that hold something. */
  readonly #holdings = new Map<string, Holding>();

  /** With principals, callers without one share what one principal may have: addresses cost nothing. */
  constructor(max: number, hasPrincipals: boolean) {
    this.#pool = new FairPool(max);
    this.#anonymous = hasPrincipals ? new Holding(this.#pool.all) : this.#pool.all;
  }

  /** Takes slots; false if the share may have no more. `share` is that of `shareOf()`: a caller without one shares with no other. */
  take(share: string | undefined, slots = 1): boolean {
    const holding = this.#holdingOf(share);
    if (this.#pool.takeEach(holding, slots) !== undefined) return false;
    if (share !== undefined) this.#holdings.set(share, holding);
    return true;
  }

  release(share: string | undefined, slots = 1): void {
    const holding = this.#holdingOf(share);
    this.#pool.release(holding, slots);
    if (share !== undefined && holding.count === 0) this.#holdings.delete(share);
  }

  #holdingOf(share: string | undefined): Holding {
    if (share === undefined) return this.#pool.all;
    return this.#holdings.get(share) ?? new Holding(isAddress(share) ? this.#anonymous : this.#pool.all);
  }
}

/** As `shareOf()` names callers without a principal. */
const isAddress = (share: string): boolean => share.startsWith('address ');
