/** Token buckets and leases in SQLite. Only buckets that are not full have a row. */
import { fullAfter, rounding, toleranceOf } from '../store/limits/buckets.ts';
import type { Lease, LimitAnswer, LimitStore, TokenClaim } from '../store/limits/limit-store.ts';
import type { Connection } from './connection.ts';

/** How many rows without meaning each use deletes: more than it adds. */
const sweep = 10;

const allowed: LimitAnswer = { allowed: true };

export function createSqliteLimits(connection: Connection, now: () => number): LimitStore {
  const selectBucket = 'SELECT fullAt FROM bucket WHERE key = ?';
  const saveBucket = 'INSERT INTO bucket VALUES (?, ?) ON CONFLICT (key) DO UPDATE SET fullAt = excluded.fullAt';
  const fullBuckets = 'DELETE FROM bucket WHERE key IN (SELECT key FROM bucket WHERE fullAt <= ? LIMIT ?)';
  const freeSlots = 'DELETE FROM slot WHERE (key, lease) IN (SELECT key, lease FROM slot WHERE until <= ? LIMIT ?)';
  const otherHolders = 'SELECT count(*) AS holders FROM slot WHERE key = ? AND lease <> ? AND until > ?';
  const saveSlot = 'INSERT INTO slot VALUES (?, ?, ?) ON CONFLICT (key, lease) DO UPDATE SET until = excluded.until';
  const deleteSlot = 'DELETE FROM slot WHERE key = ? AND lease = ?';

  function refusal(claims: readonly (readonly [TokenClaim, number])[], moment: number): LimitAnswer | undefined {
    let longest = 0;
    let key = '';
    for (const [claim, until] of claims) {
      const wait = until - moment - toleranceOf(claim.bucket);
      if (wait > longest + rounding) [longest, key] = [wait, claim.key];
    }
    return longest > 0 ? { allowed: false, key, retryAfterMs: Math.ceil(longest) } : undefined;
  }

  function slotRefusal({ id, slots }: Lease, moment: number): LimitAnswer | undefined {
    const taken = slots.find(
      ({ key, max }) => Number(connection.sql(otherHolders).get(key, id, moment)?.holders) >= max,
    );
    return taken && { allowed: false, key: taken.key, retryAfterMs: 0 };
  }

  function hold({ id, slots }: Lease, until: number): void {
    for (const { key } of slots) connection.sql(saveSlot).run(key, id, until);
  }

  function take(tokens: readonly TokenClaim[], lease: Lease | undefined, leaseMs: number): LimitAnswer {
    const moment = now();
    connection.sql(fullBuckets).run(moment, sweep);
    connection.sql(freeSlots).run(moment, sweep);
    const claims = tokens.map((claim) => {
      const fullAt = Number(connection.sql(selectBucket).get(claim.key)?.fullAt ?? moment);
      const latest = moment + toleranceOf(claim.bucket);
      // Later than an empty bucket takes: the clock was set back, or the limit lowered.
      if (fullAt > latest) connection.sql(saveBucket).run(claim.key, latest);
      return [claim, fullAfter(fullAt, claim, moment)] as const;
    });
    const refused = refusal(claims, moment) ?? (lease && slotRefusal(lease, moment));
    if (refused !== undefined) return refused;
    for (const [{ key }, until] of claims) connection.sql(saveBucket).run(key, until);
    if (lease !== undefined) hold(lease, moment + leaseMs);
    return allowed;
  }

  return {
    take: (tokens, lease, leaseMs = 0) => connection.write(() => take(tokens, lease, leaseMs)),
    renew(leases, leaseMs) {
      return connection.write(() => {
        const until = now() + leaseMs;
        for (const lease of leases) hold(lease, until);
      });
    },
    release({ id, slots }) {
      return connection.write(() => {
        for (const { key } of slots) connection.sql(deleteSlot).run(key, id);
      });
    },
  };
}
