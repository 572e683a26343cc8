/** What is left out of client metadata follows from the rest. */
import { isLoopbackUrl } from './loopback.ts';
import type { DevAuthClient } from './options.ts';

type Metadata = Record<string, unknown>;

/** The metadata of a client that is registered from the start. */
export function completeClient(client: DevAuthClient): Metadata {
  const { client_secret: secret, jwks, redirect_uris: redirects = [] } = client;
  const keyless = secret === undefined ? 'none' : 'client_secret_basic';
  const forPeople = redirects.length > 0 ? ['authorization_code', 'refresh_token'] : [];
  const forItself = secret !== undefined || jwks !== undefined ? ['client_credentials'] : [];
  const metadata: Metadata = {
    token_endpoint_auth_method: jwks === undefined ? keyless : 'private_key_jwt',
    ...(jwks === undefined ? {} : { token_endpoint_auth_signing_alg: undefined }),
    grant_types: [...forPeople, ...forItself],
    response_types: redirects.length > 0 ? ['code'] : [],
    redirect_uris: redirects,
    ...client,
  };
  relaxMetadata(metadata);
  return metadata;
}

/**
 * Changes the metadata of any client before it is checked. Its scopes are those of resources, which oidc-provider does
 * not compare with its own. A client on this machine is a native one: the port of its redirect address may change.
 */
export function relaxMetadata(metadata: Metadata): void {
  delete metadata.scope;
  const { application_type: type, redirect_uris: redirects } = metadata;
  const isNative = Array.isArray(redirects) && redirects.length > 0 && redirects.every(isLoopbackUrl);
  if ((type === undefined || type === 'web') && isNative) metadata.application_type = 'native';
}
