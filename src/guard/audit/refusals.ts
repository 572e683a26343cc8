/** Counts refusals of requests without a principal, for each address and interval, in a bounded table. */
import type { AuditFields } from './record.ts';

interface Count {
  refused: number;
  /** Counts by reason. The reasons are ours: there are few of them. */
  readonly reasons: Map<string, number>;
}

/** The row of all addresses that the table has no place for. */
const others = 'other addresses';

/**
 * Reasons of refusals of one address.
 * @limit audit
 * @beyond the rest is counted together
 */
const maxReasons = 16;

export interface RefusalCounts {
  /** True for the first refusal of an interval. */
  add(address: string, reason: string): boolean;
  /** One entry for each address; the table is empty afterwards. */
  take(): { readonly who: AuditFields; readonly what: AuditFields }[];
}

export function createRefusalCounts(maxAddresses: number): RefusalCounts {
  let table = new Map<string, Count>();

  function countOf(address: string): Count {
    const key = table.has(address) || table.size < maxAddresses ? address : others;
    let count = table.get(key);
    if (count === undefined) {
      count = { refused: 0, reasons: new Map() };
      table.set(key, count);
    }
    return count;
  }

  return {
    add(address, reason) {
      const isFirst = table.size === 0;
      const count = countOf(address.slice(0, 100));
      const text = reason.slice(0, 100);
      const key = count.reasons.has(text) || count.reasons.size < maxReasons ? text : 'other';
      count.refused++;
      count.reasons.set(key, (count.reasons.get(key) ?? 0) + 1);
      return isFirst;
    },
    take() {
      const rows = [...table];
      table = new Map();
      return rows.map(([address, { refused, reasons }]) => ({
        who: { address },
        what: { refused, reasons: Object.fromEntries(reasons) },
      }));
    },
  };
}
