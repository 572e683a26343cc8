/** Registered clients without storage: the client ID is the metadata itself, sealed for this issuer; the secret follows from the ID. */
import { isRecord } from '../../lib/values/is.ts';
import type { Secrets } from '../secrets.ts';
import type { Metadata } from './client-metadata.ts';

const prefix = 'dcr.';

/** Short names: the ID is part of URLs. */
const fields = {
  u: 'redirect_uris',
  n: 'client_name',
  g: 'grant_types',
  a: 'token_endpoint_auth_method',
  d: 'dpop_bound_access_tokens',
  k: 'jwks',
  j: 'jwks_uri',
  s: 'token_endpoint_auth_signing_alg',
  t: 'client_id_issued_at',
} as const;

/**
 * Characters of the ID of a client, which is in each access token: that of a registered one holds its metadata.
 * @limit auth-server
 * @beyond `invalid_client_metadata`; for a document `invalid_client`
 */
export const maxIdChars = 1500;

export class SealedClients {
  readonly #secrets: Secrets;
  readonly #purpose: string;

  /** An ID of another issuer is unknown here, also where both have the same secrets. */
  constructor(secrets: Secrets, issuer: string) {
    this.#secrets = secrets;
    this.#purpose = `client ${issuer}`;
  }

  /** The ID of a client with this metadata. */
  idOf(metadata: Metadata): string {
    const short = Object.entries(fields).flatMap(([key, name]) =>
      metadata[name] === undefined ? [] : [[key, metadata[name]]],
    );
    return `${prefix}${this.#secrets.seal(this.#purpose, JSON.stringify(Object.fromEntries(short)))}`;
  }

  /** The secret that goes with an ID. */
  secretOf(id: string): string {
    return this.#secrets.signSealed(this.#purpose, id.slice(prefix.length)) ?? '';
  }

  /** The metadata of an ID, if it was issued here. */
  find(id: string): Metadata | undefined {
    if (!id.startsWith(prefix) || id.length > maxIdChars) return undefined;
    const text = this.#secrets.open(this.#purpose, id.slice(prefix.length));
    if (text === undefined) return undefined;
    const short: unknown = JSON.parse(text);
    if (!isRecord(short)) return undefined;
    const metadata: Metadata = { client_id: id };
    for (const [key, name] of Object.entries(fields)) if (short[key] !== undefined) metadata[name] = short[key];
    if (needsSecret(metadata))
      Object.assign(metadata, { client_secret: this.secretOf(id), client_secret_expires_at: 0 });
    return metadata;
  }
}

/** RFC 7591, 2: without a method it is `client_secret_basic`. */
export const needsSecret = ({ token_endpoint_auth_method: method }: Metadata): boolean =>
  method === undefined || method === 'client_secret_basic' || method === 'client_secret_post';
