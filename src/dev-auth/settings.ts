/** The settings of the development authorization server: its options with their defaults. */
import type { OtherNames } from '../lib/options/option-rules.ts';
import { readOptions } from '../lib/options/read-options.ts';
import { devAuthOptions } from './options.table.ts';
import type { DevAuthOptions } from './options.ts';

export type DevAuthSettings = ReturnType<typeof readDevAuthOptions>;

const otherNames: OtherNames = {
  resource: 'resources',
  scope: 'scopes',
  client: 'clients',
  quirk: 'quirks',
  ttl: 'lifetimes',
};

const defaultUsers: NonNullable<DevAuthOptions['users']> = { ada: {}, grace: {} };

/** Throws `invalid-argument`. */
export function readDevAuthOptions(options: DevAuthOptions) {
  const read = readOptions('startDevAuthServer()', devAuthOptions, options, otherNames);
  return { ...read, users: read.users ?? defaultUsers };
}
