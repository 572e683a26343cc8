/** The settings of an authorization server: its options with their defaults. */
import type { OtherNames } from '../lib/options/option-rules.ts';
import { wrong } from '../lib/options/option-rules.ts';
import { readOptions } from '../lib/options/read-options.ts';
import { authorizationServerOptions } from './options.table.ts';
import type { AuthorizationServerOptions } from './options.ts';
import { readProvider } from './providers/read-provider.ts';

export const of = 'authorizationServer()';

export type AuthorizationServerSettings = ReturnType<typeof readAuthorizationServerOptions>;

const otherNames: OtherNames = {
  provider: 'signIn',
  secret: 'secrets',
  resource: 'resources',
  scope: 'scopes',
  url: 'issuer',
  ttl: 'lifetimes',
};

/** Throws `invalid-argument`. */
export function readAuthorizationServerOptions(options: AuthorizationServerOptions) {
  if (options === undefined) throw wrong(of, 'options', 'be an object');
  const read = readOptions(of, authorizationServerOptions, options, otherNames);
  return { ...read, signIn: readProvider(`${of}.signIn`, read.signIn) };
}
