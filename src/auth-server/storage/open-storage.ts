/** Everything that an authorization server stores, on one store. */
import { TenonError } from '../../lib/errors/tenon-error.ts';
import { type Deadlines, processDeadlines } from '../../lib/time/deadlines.ts';
import { nameOf } from '../../store/durability.ts';
import type { Store } from '../../store/store.ts';
import { type AccountStore, accountStore } from './accounts.ts';
import { createAdapter, type EngineErrors, type ModelAdapter } from './engine-adapter.ts';
import type { KeySchedule } from './key-schedule.ts';
import { createRefreshExchanges, type RefreshExchanges, type StorageReport } from './refresh-exchanges.ts';
import { createRevocations, type Revocations } from './revocations.ts';
import { type SealedRows, sealedRows, type TextSeals } from './sealed-rows.ts';
import { type CurrentKeys, createSigningKeys, type SigningKeys } from './signing-keys.ts';

/** What an authorization server stores. */
export interface AuthorizationStorage {
  /** For rows of the flow, such as states: `take` gives each to one caller. */
  readonly rows: SealedRows;
  readonly accounts: AccountStore;
  readonly keys: SigningKeys;
  readonly revocations: Revocations;
  /** To be passed to `use` of each `Provider`. */
  readonly refreshes: RefreshExchanges['middleware'];
  /** The `adapter` option of `Provider`, for all models but `Client`. */
  readonly adapter: (model: string) => ModelAdapter;
  close(): void;
}

export interface StorageSettings {
  readonly store: Store;
  readonly issuer: string;
  readonly seals: TextSeals;
  readonly lifetimes: { readonly accessTokenMs: number; readonly grantMs: number; readonly refreshGraceMs: number };
  readonly schedule: Omit<KeySchedule, 'tokenMs'>;
  readonly maxFlows: number;
  /** Whose request the engine is working on. */
  readonly share?: () => string | undefined;
  /** Errors of oidc-provider. */
  readonly errors: EngineErrors;
  /** The request that the engine is working on: `() => Provider.ctx`. */
  readonly current: () => object | undefined;
  /** Called when another key signs or others are published: a new `Provider` takes over. */
  readonly onKeys: (keys: CurrentKeys) => void;
  readonly report: StorageReport;
  /** Milliseconds since the Unix epoch. */
  readonly now?: () => number;
  readonly deadlines?: Deadlines;
}

/** Throws where the store cannot store it. */
export async function openStorage(settings: StorageSettings): Promise<AuthorizationStorage> {
  const { store, issuer, seals, lifetimes, maxFlows, share, errors, current, onKeys, report } = settings;
  const { now = () => Date.now(), deadlines = processDeadlines() } = settings;
  const { accessTokenMs, grantMs, refreshGraceMs: graceMs } = lifetimes;
  const rows = sealedRows(checkedStore(store), issuer, seals);
  const accounts = accountStore(rows, grantMs);
  const refreshes = createRefreshExchanges({ rows, graceMs, now, current, report });
  const revocations = await createRevocations({ accounts, bus: store.bus, issuer, accessTokenMs, now, deadlines });
  const onError = (cause: unknown): void => report({ type: 'failed', reason: 'store', cause });
  const schedule = { ...settings.schedule, tokenMs: accessTokenMs };
  const keys = await createSigningKeys({ rows, schedule, now, deadlines, onChange: onKeys, onError });
  return {
    rows,
    accounts,
    keys,
    revocations,
    refreshes: refreshes.middleware,
    adapter: createAdapter({ rows, refreshes, maxFlows, share, errors, now, report }),
    close() {
      keys.close();
      revocations.close();
    },
  };
}

/** The rows of a store. It need not be encrypted: what is stored here is sealed before. */
function checkedStore(store: Store): NonNullable<Store['authorizations']> {
  const { authorizations } = store;
  if (authorizations === undefined)
    throw new TenonError('invalid-argument', `store: ${nameOf(store)} has no authorizations.`, {
      hint: 'Pass a store of Tenon, or one that createStore() of tenon/store has made of your driver.',
      details: { place: 'store' },
    });
  return authorizations;
}
