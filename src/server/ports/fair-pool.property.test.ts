import { type Arbitrary, array, assert, constantFrom, integer, nat, property, record } from 'fast-check';
import { describe, expect, it } from 'vitest';
import { FairPool, Holding } from './fair-pool.ts';

interface Step {
  readonly caller: number;
  readonly kind: 'take' | 'release';
}

const kinds = constantFrom<Step['kind'][]>('take', 'take', 'release');
const steps: Arbitrary<Step[]> = array(record({ caller: nat(5), kind: kinds }), { maxLength: 200 });
const maximum = integer({ min: 1, max: 30 });

/** Callers 0 to 2 stand alone, 3 to 5 are a group. */
function open(max: number) {
  const pool = new FairPool(max);
  const group = new Holding(pool.all);
  const callers = [0, 1, 2, 3, 4, 5].map((at) => new Holding(at < 3 ? pool.all : group));
  return { max, pool, group, callers };
}

type Opened = ReturnType<typeof open>;

const sum = (holdings: readonly Holding[]): number => holdings.reduce((total, { count }) => total + count, 0);

/** The rules that hold after every step. */
const holds = ({ max, pool, group, callers }: Opened): boolean =>
  pool.all.count === sum(callers) &&
  group.count === sum(callers.slice(3)) &&
  pool.all.count <= max &&
  callers.every(({ count }) => count >= 0);

/** Takes a slot; whether what happened follows the rules. A caller on its own without a slot is refused by a full pool alone. */
function takes({ max, pool }: Opened, holding: Holding, isAlone: boolean): boolean {
  const free = max - pool.all.count;
  const before = holding.count;
  const over = pool.take(holding);
  if (over === undefined) return holding.count === before + 1 && before < free;
  const isNamed = holding.isWithin(over) && (over.count > 0 || over === pool.all);
  return holding.count === before && isNamed && !(isAlone && before === 0 && free > 0);
}

function releases({ pool }: Opened, holding: Holding): boolean {
  if (holding.count > 0) pool.release(holding);
  return true;
}

/** Whether all rules hold at every step. */
const follows = (opened: Opened, taken: readonly Step[]): boolean =>
  taken.every(({ caller, kind }) => {
    const holding = opened.callers[caller] as Holding;
    const isRight = kind === 'take' ? takes(opened, holding, caller < 3) : releases(opened, holding);
    return isRight && holds(opened);
  });

describe('a fair pool', () => {
  it('is never over its maximum and never negative, and refuses no newcomer while it has room', () => {
    const rule = property(maximum, steps, (max, taken) => {
      expect(follows(open(max), taken)).toBe(true);
    });
    assert(rule, { seed: 17 });
  });

  it('is empty when all that was taken is released', () => {
    const rule = property(maximum, steps, (max, taken) => {
      const opened = open(max);
      follows(opened, taken);
      for (const holding of opened.callers) while (holding.count > 0) opened.pool.release(holding);
      expect([opened.pool.all.count, opened.group.count, opened.pool.isFull]).toEqual([0, 0, false]);
    });
    assert(rule, { seed: 17 });
  });

  it('gives one caller half of it, and a group no more than one caller', () => {
    const rule = property(integer({ min: 1, max: 1000 }), (max) => {
      const alone = open(max);
      while (alone.pool.take(alone.callers[0] as Holding) === undefined);
      expect(alone.callers[0]?.count).toBe(Math.ceil(max / 2));
      const grouped = open(max);
      for (const holding of grouped.callers.slice(3)) while (grouped.pool.take(holding) === undefined);
      expect(grouped.group.count).toBeLessThanOrEqual(Math.ceil(max / 2));
    });
    assert(rule, { seed: 17 });
  });

  it('without a maximum refuses nothing', () => {
    const { pool, callers } = open(Number.POSITIVE_INFINITY);
    for (let at = 0; at < 10_000; at++) expect(pool.take(callers[at % 6] as Holding)).toBeUndefined();
    expect(pool.isFull).toBe(false);
  });
});
