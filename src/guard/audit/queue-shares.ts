/** How much of the queue of an audit log each caller has: none may have more than it leaves free, so that the calls of others can be recorded. */
import { shareOf } from '../../ports/share.ts';
import { FairPool, Holding } from '../../server/ports/fair-pool.ts';
import type { AuditFields } from './record.ts';

/** The most records that wait, and the most characters of them. */
export interface QueueLimits {
  readonly maxQueuedRecords: number;
  readonly maxQueuedChars: number;
}

/** What a caller, or a group of them, has in the queue. */
interface QueueShare {
  readonly records: Holding;
  readonly chars: Holding;
}

const shareWithin = ({ records, chars }: QueueShare): QueueShare => ({
  records: new Holding(records),
  chars: new Holding(chars),
});

/** The name of the share of a caller; `undefined` if `who` names none, as on a connection without addresses. */
export function shareNameOf({ principal, address }: AuditFields = {}): string | undefined {
  return shareOf({
    principal: typeof principal === 'string' ? { key: principal } : undefined,
    address: typeof address === 'string' ? address : undefined,
  });
}

/** Callers without a principal share what one principal may have: addresses cost nothing. */
const isAnonymous = (name: string): boolean => name.startsWith('address ');

export class QueueShares {
  readonly #records: FairPool;
  readonly #chars: FairPool;
  /** What all callers have, and the log itself. */
  readonly #all: QueueShare;
  readonly #anonymous: QueueShare;
  readonly #shares = new Map<string, QueueShare>();

  constructor({ maxQueuedRecords, maxQueuedChars }: QueueLimits) {
    this.#records = new FairPool(maxQueuedRecords);
    this.#chars = new FairPool(maxQueuedChars);
    this.#all = { records: this.#records.all, chars: this.#chars.all };
    this.#anonymous = shareWithin(this.#all);
  }

  /** Whether there is room for a further record, of a caller or of the log itself. */
  hasRoom(name: string | undefined): boolean {
    const { records, chars } = this.#shareOf(name);
    return this.#records.hasRoom(records) && this.#chars.hasRoom(chars);
  }

  /** Counts a record, whether there is room for it or not. */
  add(name: string | undefined, chars: number): void {
    const share = this.#shareOf(name);
    this.#records.add(share.records, 1);
    this.#chars.add(share.chars, chars);
  }

  #shareOf(name: string | undefined): QueueShare {
    if (name === undefined) return this.#all;
    const known = this.#shares.get(name);
    if (known !== undefined) return known;
    const share = shareWithin(isAnonymous(name) ? this.#anonymous : this.#all);
    this.#shares.set(name, share);
    return share;
  }
}
