/** Opens a store on an engine: the codec adopts its marker before anything else runs. */
import type { StoreDriver } from '../store/driver.ts';
import type { OnceLimits } from '../store/parts/once.ts';
import { storeOn, type WholeStore } from '../store/parts/parts.ts';
import { rowIn } from '../store/parts/runs.ts';
import { checkSecrets, type EncryptionOptions } from './encryption-options.ts';
import { codecFor, type StoreCodec } from './open-codec.ts';
import { maxAuthorizations, maxSlots } from './options.ts';

/** What a store is opened with, besides what its engine needs. */
export interface OpenSettings {
  readonly encryption?: EncryptionOptions | undefined;
  readonly credentials: {
    readonly maxEntries: number;
    readonly lockTimeoutMs: number;
    readonly lockLeaseMs: number;
  };
  readonly consents: { readonly maxEntries: number };
  readonly once: OnceLimits;
  readonly now?: (() => number) | undefined;
  readonly onError?: ((error: unknown) => void) | undefined;
  /** Where the store is, if others are beside it: encrypted values cannot be moved between them. */
  readonly place?: string;
}

/** Called by an engine with every connection, before anything else runs. */
export type Prepare = (run: StoreDriver['run']) => Promise<void>;

/** A store, and the engine that it is on. */
export interface OpenedOn<Driver> {
  readonly driver: Driver;
  readonly store: WholeStore;
}

/** `of` is the function that was called, for errors. */
export async function openOn<Driver extends StoreDriver>(
  of: string,
  settings: OpenSettings,
  openDriver: (prepare: Prepare) => Promise<Driver>,
): Promise<OpenedOn<Driver>> {
  const { encryption, credentials, consents, once, now = () => Date.now(), onError = () => undefined } = settings;
  checkSecrets(of, encryption);
  const codec = codecFor(encryption, settings.place);
  const driver = await openDriver((run) => adoptMarker(codec, run));
  const limits = { once, credentials, maxConsents: consents.maxEntries, maxSlots, maxAuthorizations };
  return { driver, store: storeOn(driver, { codec, limits, now, onError }) };
}

/** The marker is a row: empty in a store that is not encrypted. */
async function adoptMarker(codec: StoreCodec, run: StoreDriver['run']): Promise<void> {
  const marker = codec.newMarker();
  const key = 'marker';
  const made = await run('meta', [{ op: 'put', key, when: 'absent', version: newVersion(), data: marker }], 'disk');
  const row = made.failed === undefined ? undefined : made.row;
  const found = made.failed === undefined ? marker : (row?.data ?? '');
  const newer = codec.adopt(found === '' ? undefined : found);
  if (newer === undefined || row === undefined) return;
  const when = { version: row.version };
  const replaced = await run('meta', [{ op: 'put', key, when, version: newVersion(), data: newer }], 'disk');
  // Another process has replaced it at the same moment.
  if (replaced.failed !== undefined) await adoptAgain(codec, run, key);
}

async function adoptAgain(codec: StoreCodec, run: StoreDriver['run'], key: string): Promise<void> {
  const ran = await run('meta', [{ op: 'get', key }]);
  codec.adopt(ran.failed === undefined ? rowIn(ran.results[0])?.data : undefined);
}

const newVersion = (): string => crypto.randomUUID();
