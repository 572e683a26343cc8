/** What the store of credentials has: the keys of the records, and their shapes. */
import type { JWK } from 'jose';
import type { CredentialStore } from '../../store/credential-store.ts';

/** A private key that tokens are bound to. It is stored with them, and nowhere else. */
export type BindingKey = JWK & { readonly alg: string };

/** A client that was registered dynamically. It stays with its tokens, which only it can refresh. */
export interface StoredClient {
  readonly clientId: string;
  readonly clientSecret?: string;
  readonly authMethod?: string;
}

/** The tokens for one resource of one issuer. */
export interface StoredTokens {
  readonly accessToken: string;
  readonly tokenType: 'bearer' | 'dpop';
  /** When the access token expires. Absent: it is used until the server refuses it. */
  readonly expiresAt?: number;
  /** When it is refreshed ahead of time. */
  readonly refreshAt?: number;
  readonly refreshToken?: string;
  /** The scopes that were requested. */
  readonly requested: readonly string[];
  /** The scopes that were granted; as requested where the server does not say. */
  readonly granted: readonly string[];
  /** The client that they were issued to. */
  readonly clientId: string;
  /** Set if that client was registered dynamically. */
  readonly registered?: StoredClient;
  /** The private key that they are bound to, where `tokenType` is `dpop`. */
  readonly bindingKey?: BindingKey;
}

/** Which issuer and resource a server had last, so that its tokens are found without discovery. */
export interface StoredServer {
  readonly issuer: string;
  readonly resource: string;
}

/** A list has no ambiguous separators. */
export const tokensKey = (issuer: string, resource: string): string => JSON.stringify(['tokens', issuer, resource]);
export const clientKey = (issuer: string): string => JSON.stringify(['client', issuer]);
export const serverKey = (url: string): string => JSON.stringify(['server', url]);
/** The URLs of all servers with tokens. */
export const serversKey = JSON.stringify(['servers']);
export const quirksKey = (issuer: string): string => JSON.stringify(['quirks', issuer]);
/** Sign-ins of a web application that are under way. */
export const signInsKey = JSON.stringify(['sign-ins']);

/** How often a swap is tried: others may write too. */
const maxSwaps = 5;

/** Replaces a record, whatever it is now. `undefined` deletes it. */
export async function replaceRecord(
  store: CredentialStore,
  key: string,
  change: (before: unknown) => unknown,
): Promise<void> {
  for (let tries = 0; tries < maxSwaps; tries++) {
    const before = await store.read(key);
    const after = change(before?.value);
    if (after === before?.value || (await store.swap(key, before?.version, after))) return;
  }
}

export const readRecord = async <T>(store: CredentialStore, key: string): Promise<T | undefined> =>
  (await store.read(key))?.value as T | undefined;
