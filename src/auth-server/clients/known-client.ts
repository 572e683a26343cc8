/** Clients that the author of a server registers: what they have, and what is wrong with one. */
import { isFilledString, isRecord } from '../../lib/values/is.ts';
import { redirectUriProblem } from './redirect-uris.ts';

/** A client that is registered from the start. */
export interface KnownClient {
  /** Its identifier. */
  readonly clientId: string;
  /** Its name on the page that asks for consent. */
  readonly name: string;
  /** Where browsers are sent back to, exactly. The port is free where all of them are on loopback. */
  readonly redirectUris: readonly string[];
  /** The secret of a confidential client; a public one has none. */
  readonly clientSecret?: string;
}

/** What is wrong with an entry of `clients.known`, if anything. */
export function knownClientProblem(value: unknown): string | undefined {
  if (!isRecord(value)) return 'is not an object';
  const { clientId, name, redirectUris, clientSecret } = value;
  // Other IDs are those of documents and of registered clients.
  if (typeof clientId !== 'string' || !/^[\w.~-]{1,100}$/.test(clientId) || clientId.startsWith('dcr.'))
    return 'has a clientId that is not up to 100 letters, digits and . _ ~ -, or begins with dcr.';
  if (!isFilledString(name)) return 'has no name';
  if (!Array.isArray(redirectUris) || redirectUris.length === 0) return 'has no redirectUris';
  const problem = redirectUris.map(redirectUriProblem).find((one) => one !== undefined);
  if (problem !== undefined) return `has redirectUris that are not valid: they ${problem}`;
  return clientSecret === undefined || isFilledString(clientSecret) ? undefined : 'has a clientSecret that is no text';
}
