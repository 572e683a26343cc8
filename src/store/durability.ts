/** What a store still has after a failure, and the refusal of features that need more. */
import { TenonError } from '../lib/errors/tenon-error.ts';

/**
 * What happens to an acknowledged write: `memory`: lost with the process that holds the data. `process`: survives that,
 * but the last moment may be lost with the power, or when a replica takes over. `disk`: it is on disk. `unknown`: the driver could not find it out.
 */
export type Durability = 'memory' | 'process' | 'disk' | 'unknown';

/** What durability is read of: a store, or nothing where everything is in the memory of this process. */
export interface DurableStore {
  readonly name?: string;
  readonly durability?: Durability;
}

/** A feature that must not lose what it stores. */
export interface DurabilityNeed {
  /** The option that needs it, such as `idempotency.durability`. */
  readonly option: string;
  readonly durability: Extract<Durability, 'process' | 'disk'>;
}

const levels: readonly Durability[] = ['unknown', 'memory', 'process', 'disk'];

export const nameOf = (store: DurableStore | undefined): string =>
  (store === undefined ? 'memory' : store.name) ?? 'store';
export const durabilityOf = (store: DurableStore | undefined): Durability =>
  (store === undefined ? 'memory' : store.durability) ?? 'unknown';

/** Whether other processes, or this one after a restart, find what was stored. */
export const isLasting = (store: DurableStore): boolean => store.name !== 'memory';

/** Throws `store-not-durable`, with the setting that changes it, where a store has less than a feature needs. */
export function requireDurability(
  store: DurableStore | undefined,
  { option, durability: needed }: DurabilityNeed,
): void {
  const durability = durabilityOf(store);
  if (levels.indexOf(durability) >= levels.indexOf(needed)) return;
  throw new TenonError(
    'store-not-durable',
    `${option} needs a store with the durability '${needed}'; that of ${nameOf(store)} is '${durability}'.`,
    { hint: settingFor(nameOf(store), needed), details: { option, needed, durability } },
  );
}

/** For a store whose durability could not be found out. */
export function durabilityWarning(store: DurableStore): TenonError | undefined {
  if (store.durability !== 'unknown') return undefined;
  return new TenonError('store-not-durable', `The durability of the store ${nameOf(store)} could not be found out.`, {
    hint: `${settingFor(nameOf(store), 'process')} Or allow this user to read its settings.`,
    details: { durability: 'unknown' },
  });
}

/** What to set, by the name of the store. */
function settingFor(store: string, needed: DurabilityNeed['durability']): string {
  if (store === 'redis')
    return needed === 'disk'
      ? 'Set `appendonly yes`, `appendfsync always` and `maxmemory-policy noeviction` in the configuration of Redis, without replicas.'
      : 'Set `appendonly yes` and `maxmemory-policy noeviction` in the configuration of Redis.';
  if (store === 'postgres')
    return needed === 'disk'
      ? 'Set `fsync = on`, `full_page_writes = on` and `synchronous_commit = on` in the configuration of PostgreSQL, and `synchronous_standby_names` if it has replicas.'
      : 'Set `synchronous_commit = on` in the configuration of PostgreSQL.';
  if (store === 'sqlite') return "Open the store with durability: 'disk', which is the default of openSqliteStore().";
  if (store === 'memory') return "Pass a store that lasts, such as store: 'sqlite:./tenon.db', or set less durability.";
  return 'Pass another store, or one whose driver has the property `durability`.';
}
