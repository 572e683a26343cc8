/** Token buckets and leased slots on an engine, in one partition: a call takes of several at once. */
import { mapped } from '../../lib/values/maybe-promise.ts';
import type { Codec } from '../codec.ts';
import { maxOps, type Op, type PutOp, type StoreDriver } from '../driver.ts';
import type { Lease, LimitAnswer, LimitStore, Slot, TokenClaim } from '../limit-store.ts';

const partition = 'limits';

const allowed: LimitAnswer = { allowed: true };

/** `maxSlots`: leases of slots in all. */
export function limitsOn(driver: StoreDriver, codec: Codec, maxSlots: number): LimitStore {
  const nameOf = (key: string): string => codec.name(['limit', key]);
  // The length ends the key, whatever characters it has.
  const slotKey = ({ key }: Slot, id: string): string => `${nameOf(key).length} ${nameOf(key)}${id}`;

  const tokensOp = ({ key, cost, bucket: { tokens, perMs, burst } }: TokenClaim): Op => ({
    op: 'tokens',
    key: nameOf(key),
    costMs: (cost * perMs) / tokens,
    fullMs: (burst * perMs) / tokens,
  });

  const holdOp = (slot: Slot, id: string, expiresInMs: number, max: number | undefined): PutOp => ({
    op: 'put',
    key: slotKey(slot, id),
    version: id,
    expiresInMs,
    groups:
      max === undefined
        ? [{ name: `slot:${nameOf(slot.key)}` }, { name: 'slots' }]
        : [
            { name: `slot:${nameOf(slot.key)}`, max },
            { name: 'slots', max: maxSlots },
          ],
  });

  return {
    take(tokens, lease, leaseMs = 0) {
      const slots = lease?.slots ?? [];
      const ops = [
        ...tokens.map(tokensOp),
        ...slots.map((slot) => holdOp(slot, (lease as Lease).id, leaseMs, slot.max)),
      ];
      if (ops.length === 0) return allowed;
      return mapped(driver.run(partition, ops), (ran): LimitAnswer => {
        if (ran.failed === undefined) return allowed;
        const { key } = [...tokens, ...slots][ran.failed] as { readonly key: string };
        return { allowed: false, key, retryAfterMs: ran.waitMs ?? 0 };
      });
    },
    async renew(leases, leaseMs) {
      const ops = leases.flatMap(({ id, slots }) => slots.map((slot) => holdOp(slot, id, leaseMs, undefined)));
      for (let from = 0; from < ops.length; from += maxOps) await driver.run(partition, ops.slice(from, from + maxOps));
    },
    release({ id, slots }) {
      if (slots.length === 0) return undefined;
      const ops = slots.map((slot): Op => ({ op: 'delete', key: slotKey(slot, id) }));
      return mapped(driver.run(partition, ops), () => undefined);
    },
  };
}
