/** What may happen once, on an engine: keys that were used, and runs. */
import { TenonError } from '../../lib/errors/tenon-error.ts';
import { type MaybePromise, mapped } from '../../lib/values/maybe-promise.ts';
import { type Codec, type Path, resultPath } from '../codec.ts';
import type { GroupMember, PutOp, Ran, Row, StoreDriver } from '../driver.ts';
import type { OnceLimit, OnceRun, OnceState, OnceStore } from '../once-store.ts';
import { anyVersion, atMost, lastingMs, shardCount, shardOf } from './runs.ts';

/** How much is remembered. What counts all owners together is infinite on an engine that cannot count the whole store. */
export interface OnceLimits {
  /** Live keys: used ones, those of runs, and those of runs without an owner each. */
  readonly maxKeys: number;
  /** Those of one owner, or of one share of those that have none. */
  readonly maxKeysPerOwner: number;
  /** Characters of stored results; beyond it the oldest are dropped. */
  readonly maxChars: number;
  readonly maxCharsPerOwner: number;
  /** Where an engine cannot count the whole store: live keys of runs without an owner, each of its parts an equal part. */
  readonly maxSharedKeys?: number;
  /** Characters of their results; beyond it the oldest of the part are dropped. */
  readonly maxSharedChars?: number;
}

export function onceOn(driver: StoreDriver, codec: Codec, limits: OnceLimits, now: () => number): OnceStore {
  const rows = onceRows(codec, limits);
  const { keyOf, resultOf, partitionOf, runGroups, stateOf } = rows;

  /** Extends the lease of a run that this holder has begun. */
  function renew(owner: string, key: string, { holder, leaseMs, ttlMs }: OnceRun): MaybePromise<boolean> {
    const put: PutOp = {
      op: 'put',
      key: keyOf(owner, key),
      when: { version: holder },
      version: holder,
      expiresInMs: lastingMs(leaseMs + ttlMs),
    };
    return mapped(driver.run(partitionOf(owner, key), [put], 'disk'), isDone);
  }

  return {
    burn: (key, expiresAt, owner = '') =>
      burn(driver, rows, limits, codec.name(['key', key]), expiresAt - now(), owner),
    begin(owner, key, run) {
      const { digest, holder, leaseMs, ttlMs } = run;
      const put: PutOp = {
        op: 'put',
        key: keyOf(owner, key),
        when: 'absent',
        version: holder,
        fields: { digest: codec.name(['digest', digest]), ttl: String(ttlMs) },
        groups: runGroups(owner, run),
        expiresInMs: lastingMs(leaseMs + ttlMs),
      };
      return mapped(driver.run(partitionOf(owner, key), [put], 'disk'), (ran): MaybePromise<OnceState> => {
        if (ran.failed === undefined) return { state: 'begun' };
        if (ran.why === 'full') return { state: 'full', limit: limitOf(ran.group, owner === '' ? sharedRuns : 'runs') };
        const found = stateOf(ran.row as Row, owner, key, run, ran.now);
        if (ran.row?.version !== holder || found.state === 'other') return found;
        // The holder repeats a begin whose answer was lost.
        return mapped(renew(owner, key, run), (renewed): OnceState => (renewed ? { state: 'begun' } : found));
      });
    },
    end(owner, key, run, text) {
      const { holder, ttlMs, share } = run;
      const chars = text?.length ?? 0;
      const hasRoom =
        chars <= limits.maxChars && ((owner === '' && share === undefined) || chars <= limits.maxCharsPerOwner);
      const ended = `${holder} ended`;
      return mapped(
        driver.run(
          partitionOf(owner, key),
          [
            {
              op: 'put',
              key: keyOf(owner, key),
              when: { version: holder },
              version: ended,
              fields: { ended: '1' },
              expiresInMs: lastingMs(ttlMs),
              groups: runGroups(owner, run),
              ...(text !== undefined && hasRoom && { data: codec.seal(resultOf(owner, key), text), chars }),
            },
          ],
          'disk',
        ),
        (ran) => ran.failed === undefined || ran.row?.version === ended,
      );
    },
    release: (owner, key, { holder }) =>
      mapped(
        driver.run(
          partitionOf(owner, key),
          [{ op: 'delete', key: keyOf(owner, key), when: { version: holder } }],
          'disk',
        ),
        isDone,
      ),
    renew,
  };
}

/** Uses a key up. */
function burn(
  driver: StoreDriver,
  { usedGroups }: ReturnType<typeof onceRows>,
  limits: OnceLimits,
  name: string,
  expiresInMs: number,
  owner: string,
): MaybePromise<boolean> {
  const partition = `used:${shardOf(name)}`;
  if (expiresInMs <= 0)
    return mapped(
      driver.run(partition, [{ op: 'get', key: name }]),
      (ran) => ran.failed === undefined && ran.results[0] === undefined,
    );
  const groups = usedGroups(owner);
  return mapped(
    driver.run(
      partition,
      [{ op: 'put', key: name, when: 'absent', version: anyVersion, expiresInMs: lastingMs(expiresInMs), groups }],
      'disk',
    ),
    (ran) => {
      if (ran.failed === undefined) return true;
      if (ran.why !== 'full') return false;
      const limit = limitOf(ran.group, 'used');
      throw full(limit, limits[limit]);
    },
  );
}

/** Where keys and runs are stored, in which groups, and what a run that was found means. */
function onceRows(codec: Codec, limits: OnceLimits) {
  const countsAll = Number.isFinite(limits.maxKeys);
  const ownerOf = (owner: string): string => (owner === '' ? '' : codec.name(['owner', owner]));
  const keyOf = (owner: string, key: string): string => codec.name(['run', owner, key]);
  /** The names that it is stored by: what an earlier version encrypted can be read. */
  const resultOf = (owner: string, key: string): Path => resultPath(ownerOf(owner), keyOf(owner, key));
  /** All runs of an owner are in one partition; those without one are found by their keys alone. */
  const partitionOf = (owner: string, key: string): string =>
    owner === '' ? sharedRunsOf(keyOf(owner, key)) : `runs:${ownerOf(owner)}`;

  function usedGroups(owner: string): readonly GroupMember[] {
    const all: GroupMember = { name: 'used', scope: 'store', ...atMost(limits.maxKeys) };
    if (owner === '') return [all];
    return [...ownGroups(`used by ${ownerOf(owner)}`, limits.maxKeysPerOwner), all];
  }

  function runGroups(owner: string, { share }: OnceRun): readonly GroupMember[] {
    const { maxKeysPerOwner: max, maxCharsPerOwner: maxChars } = limits;
    if (owner !== '')
      return [
        { name: 'own', max, maxChars },
        { name: 'runs', scope: 'store', ...atMost(limits.maxKeys, limits.maxChars) },
      ];
    const all: GroupMember = countsAll
      ? { name: sharedRuns, scope: 'store', ...atMost(limits.maxKeys, limits.maxChars) }
      : { name: sharedRuns, ...atMost(part(limits.maxSharedKeys), part(limits.maxSharedChars)) };
    if (share === undefined) return [all];
    return [...ownGroups(`runs of ${codec.name(['share', share])}`, max, maxChars), all];
  }

  /** The group of an owner whose keys are in all shards: where the engine cannot count the whole store, each has a part of the limit. */
  function ownGroups(name: string, max: number, maxChars?: number): readonly GroupMember[] {
    const whole: GroupMember = { name, scope: 'store', ...atMost(max, maxChars) };
    return countsAll ? [whole] : [{ name, ...atMost(part(max), part(maxChars)) }, whole];
  }

  function stateOf(row: Row, owner: string, key: string, { digest }: OnceRun, moment: number): OnceState {
    if (row.fields.digest !== codec.name(['digest', digest])) return { state: 'other' };
    if (row.fields.ended !== undefined)
      return { state: 'ended', text: row.data && codec.open(resultOf(owner, key), row.data) };
    const leaseMs = (row.expiresAt ?? Infinity) - Number(row.fields.ttl) - moment;
    return leaseMs > 0 ? { state: 'running', leaseMs } : { state: 'unknown' };
  }

  return { keyOf, resultOf, partitionOf, usedGroups, runGroups, stateOf };
}

/** The group of all runs that have no owner. */
const sharedRuns = 'shared runs';

/** The partition of a run that has no owner, by the name that its key is stored by. */
export const sharedRunsOf = (key: string): string => `${sharedRuns}:${shardOf(key)}`;

/** What one of the parts that keys are spread over has of a limit. */
const part = (limit = Infinity): number => Math.ceil(limit / shardCount);

const isDone = ({ failed }: Ran): boolean => failed === undefined;

const limitOf = (group: string | undefined, all: string): OnceLimit => (group === all ? 'maxKeys' : 'maxKeysPerOwner');

const full = (limit: OnceLimit, max: number): TenonError => {
  const why = limit === 'maxKeys' ? `the store has ${max} live keys` : `one owner has ${max} live keys`;
  return new TenonError('store-failed', `A key that may be used once could not be stored: ${why}.`, {
    hint: 'Try again when some have expired.',
    details: { limit },
  });
};
