/** The store of a service: an object as it was given, or a URL, which the service opens and closes. */

import type { Log } from '../lib/errors/logger.ts';
import type { TenonError } from '../lib/errors/tenon-error.ts';
import { type Rule } from '../lib/options/option-rules.ts';
import { isRecord } from '../lib/values/is.ts';
import { durabilityOf, durabilityWarning, nameOf } from '../store/durability.ts';
import type { Store } from '../store/store.ts';
import { openStore } from './open-store.ts';

export interface ServiceStore {
  /** Absent where everything is in the memory of this process. */
  readonly store: Store | undefined;
  /** Called with what fails in the background. The service sets it. */
  onError: (error: Error) => void;
  /** Closes what was opened here; a store that was passed as an object stays open. */
  close(): Promise<void>;
}

export const storeOrUrl: Rule = {
  holds: (value) => isRecord(value) || typeof value === 'string',
  must: "be a store, or a URL such as 'sqlite:./tenon.db' or 'redis://localhost:6379'",
};

/** Memory is what a service uses without a store, too. */
export const isWithoutStore = (store: Store | string | undefined): store is 'memory:' | undefined =>
  store === undefined || store === 'memory:';

/** Opens the store where a URL was given. */
export async function openServiceStore(storeOrUrl: Store | string | undefined): Promise<ServiceStore> {
  if (typeof storeOrUrl !== 'string' || isWithoutStore(storeOrUrl)) return passedStore(storeOrUrl);
  let service: ServiceStore | undefined;
  const onError = (error: unknown): void => service?.onError(error instanceof Error ? error : new Error(String(error)));
  const store = await openStore(storeOrUrl, { onError });
  service = { store, onError() {}, close: () => store.close() };
  return service;
}

/** A store that its caller opened, or none. */
export const passedStore = (store: Store | 'memory:' | undefined): ServiceStore => ({
  store: store === 'memory:' ? undefined : store,
  onError() {},
  close: async () => {},
});

/** Logs which store is used, and warns if it is not known what it survives. */
export function reportStore(store: Store, log: Log | undefined, warn: (warning: TenonError) => void): void {
  log?.('info', { store: nameOf(store), durability: durabilityOf(store) }, 'store attached');
  const unknown = durabilityWarning(store);
  if (unknown !== undefined) warn(unknown);
}
