/** Reads the options of `oauth`. */
import { wrong } from '../../lib/options/option-rules.ts';
import { readOptions } from '../../lib/options/read-options.ts';
import type { CredentialStore } from '../../store/credential-store.ts';
import { memoryCredentials } from '../../store/parts/memory-credentials.ts';
import { authorizationCode } from './grants/authorization-code.ts';
import type { TokenGrant } from './grants/grant.ts';
import { oAuthOptions } from './options.table.ts';
import type { OAuthOptions } from './options.ts';
import type { OAuthClient } from './registration/client.ts';
import type { DescribedMetadata } from './registration/metadata.ts';
import type { AuthStep } from './steps.ts';
import type { Quirks } from './tokens/quirks.ts';

/** The options with their defaults. */
export interface ResolvedOptions {
  readonly client: OAuthClient | undefined;
  readonly clientMetadataUrl: string | undefined;
  readonly scopes: readonly string[] | undefined;
  readonly explain: ((step: AuthStep) => void) | undefined;
  readonly store: CredentialStore;
  readonly clientMetadata: DescribedMetadata;
  readonly grant: TokenGrant;
  readonly dpop: boolean | undefined;
  readonly quirks: Quirks;
  readonly signInMs: number;
  readonly requestMs: number;
  readonly maxAuthorizations: number;
  /** The option `fetch`, if it is set. */
  readonly fetch: OAuthOptions['fetch'];
  /** The `fetch` of each target that has its own, by the URL of the server. */
  readonly targetFetches: Map<string, typeof fetch>;
}

const otherNames = {
  clientId: 'client.clientId',
  clientSecret: 'client.clientSecret',
  client_id: 'client.clientId',
  client_secret: 'client.clientSecret',
  redirectUri: 'signIn.redirectUri',
  redirectUrl: 'signIn.redirectUri',
  clientMetadataUri: 'clientMetadataUrl',
  scope: 'scopes',
  onStep: 'explain',
};

/** Throws `invalid-argument`. */
export function readOAuthOptions(options: OAuthOptions): ResolvedOptions {
  const read = readOptions('oauth()', oAuthOptions, options, otherNames);
  const { client, signIn, timeouts, limits } = read;
  if (client?.authMethod === 'private_key_jwt' && client.privateKey === undefined)
    throw wrong('oauth()', 'client.privateKey', 'be set for private_key_jwt');
  // The server that is connected to names its authorization server: without an issuer, any server gets the secret.
  if (client?.clientSecret !== undefined && client.issuer === undefined)
    throw wrong('oauth()', 'client.issuer', 'be set with a clientSecret, which is sent to this issuer only');
  const grant = (read.grant as TokenGrant | undefined) ?? authorizationCode(signIn);
  if (grant.needsSecret && client?.clientSecret === undefined && client?.privateKey === undefined)
    throw wrong('oauth()', 'client', 'have a clientSecret or a privateKey for clientCredentials()');
  return {
    client,
    clientMetadataUrl: read.clientMetadataUrl,
    scopes: read.scopes,
    explain: read.explain,
    store: read.store ?? memoryCredentials(),
    clientMetadata: read.clientMetadata,
    grant,
    dpop: read.dpop,
    quirks: read.quirks,
    ...timeouts,
    ...limits,
    fetch: read.fetch,
    targetFetches: new Map(),
  };
}
