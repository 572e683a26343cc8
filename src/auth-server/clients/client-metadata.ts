/** The metadata of clients as the engine gets it: what they may choose, and what is the same for all. */
import { isLoopbackUri } from './redirect-uris.ts';

/** Client metadata, as in RFC 7591. */
export type Metadata = Record<string, unknown>;

/** What a client may choose. Everything else is left out: pages to load, and rules of sign-in that this server does not have. */
const chosen = [
  'client_id',
  'client_id_issued_at',
  'client_secret',
  'client_secret_expires_at',
  'client_name',
  'redirect_uris',
  'grant_types',
  'token_endpoint_auth_method',
  'token_endpoint_auth_signing_alg',
  'jwks',
  'jwks_uri',
  'dpop_bound_access_tokens',
] as const;

const grantTypes = ['authorization_code', 'refresh_token'];

/** Changes metadata to what this server supports. The port of a redirect URI may differ only where all are on loopback. */
export function normalizeMetadata(metadata: Metadata): void {
  for (const name of Object.keys(metadata)) if (!(chosen as readonly string[]).includes(name)) delete metadata[name];
  const { redirect_uris: uris, grant_types: types = grantTypes } = metadata;
  const isNative = Array.isArray(uris) && uris.length > 0 && uris.every((uri) => isLoopbackUri(String(uri)));
  metadata.application_type = isNative ? 'native' : 'web';
  metadata.response_types = ['code'];
  metadata.response_modes = ['query'];
  metadata.id_token_signed_response_alg = 'ES256';
  // Clients also name grants that they use elsewhere.
  metadata.grant_types = Array.isArray(types) ? grantTypes.filter((type) => types.includes(type)) : types;
}
