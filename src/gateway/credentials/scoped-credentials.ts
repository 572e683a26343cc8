/** The part of a store of credentials that belongs to one principal at one upstream. */
import type { CredentialStore } from '../../store/credential-store.ts';

/** Whose credentials these are. */
export interface CredentialScope {
  /** The key of the principal. */
  readonly principal: string;
  /** The name of the upstream. */
  readonly upstream: string;
}

/**
 * Records about an authorization server, not about a user: the client that the gateway registered there, and how it
 * differs from the specification. All principals of one upstream have them together, or each would register a client.
 */
const ofUpstream: ReadonlySet<unknown> = new Set(['client', 'quirks']);

/**
 * A store in which every key begins with principal and upstream, as JSON: no other pair reads or changes it. What the
 * principals of an upstream share has keys of two parts, others of three.
 */
export function scopedCredentials(store: CredentialStore, { principal, upstream }: CredentialScope): CredentialStore {
  const scoped = (key: string): string =>
    JSON.stringify(isOfUpstream(key) ? [upstream, key] : [principal, upstream, key]);
  return {
    read: (key) => store.read(scoped(key)),
    swap: (key, version, value) => store.swap(scoped(key), version, value),
    lock: (key, signal) => store.lock(scoped(key), signal),
  };
}

/** Whether a key of `oauth()` is `["client", issuer]` or `["quirks", issuer]`. */
function isOfUpstream(key: string): boolean {
  let parts: unknown;
  try {
    parts = JSON.parse(key);
  } catch {
    return false;
  }
  return Array.isArray(parts) && parts.length === 2 && ofUpstream.has(parts[0]) && typeof parts[1] === 'string';
}
