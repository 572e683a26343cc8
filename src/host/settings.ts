/** The settings of a host: its options with their defaults. */
import { type Filled, readOptions } from '../lib/options/read-options.ts';
import type { hostOptions } from './options.table.ts';
import type { HostOptions } from './options.ts';

export type HostSettings = Filled<HostOptions, typeof hostOptions>;

/** Hooks stay as they were given: they may be methods of an object of yours. */
export function readSettings(options: HostOptions, table: typeof hostOptions): HostSettings {
  const { consent } = options;
  return { ...readOptions('createHost()', table, options), ...(consent !== undefined && { consent }) };
}
