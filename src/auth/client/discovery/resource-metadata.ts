/** The metadata of a protected resource: RFC 9728. It names the authorization servers of an MCP server. */

import { isTexts } from '../../../lib/options/option-rules.ts';
import { isUrl } from '../../../lib/text/parse-url.ts';
import type { Challenge } from './challenge.ts';
import { type Discovery, firstDocument, type Place } from './documents.ts';

export interface ResourceMetadata {
  /** The identifier of the resource, byte for byte as it was published: what `resource` is in requests. */
  readonly resource: string;
  /** At least one issuer. */
  readonly issuers: readonly string[];
  readonly scopes: readonly string[] | undefined;
}

const wellKnown = '/.well-known/oauth-protected-resource';

/** Where the metadata may be, in the order to try. */
export function resourceMetadataPlaces(serverUrl: string, challenge: Challenge | undefined): readonly Place[] {
  const { origin, pathname, search } = new URL(serverUrl);
  const named = challenge?.parameters.resource_metadata;
  const places: Place[] = [];
  if (named !== undefined) places.push({ url: named, rule: 'RFC 9728, 5.1: resource_metadata of the challenge' });
  if (pathname !== '/' || search !== '')
    places.push({ url: `${origin}${wellKnown}${pathname}${search}`, rule: 'RFC 9728, 3.1: path inserted' });
  places.push({ url: `${origin}${wellKnown}`, rule: 'RFC 9728, 3.1: at the root' });
  return places.filter(({ url }, at) => places.findIndex((other) => other.url === url) === at);
}

/** The metadata in a document, or what is wrong with it. */
export function readResourceMetadata(
  serverUrl: string,
  document: Record<string, unknown>,
): ResourceMetadata | { readonly problem: string } {
  const { resource, authorization_servers: issuers, scopes_supported: scopes } = document;
  if (typeof resource !== 'string') return { problem: 'It has no resource.' };
  if (!covers(resource, serverUrl)) return { problem: `It is for ${resource}, not for ${serverUrl}.` };
  if (!isTexts(issuers) || (issuers as string[]).length === 0) return { problem: 'It names no authorization_servers.' };
  return { resource, issuers: issuers as string[], scopes: isTexts(scopes) ? (scopes as string[]) : undefined };
}

/** Whether a resource identifier is that of a server: the same URL, or a parent of it. */
export function covers(resource: string, serverUrl: string): boolean {
  if (resource === serverUrl) return true;
  if (!isUrl(resource) || resource.includes('#')) return false;
  const [named, server] = [new URL(resource), new URL(serverUrl)];
  if (named.origin !== server.origin || named.username !== '' || named.password !== '') return false;
  if (named.search !== '' && named.search !== server.search) return false;
  return `${server.pathname.replace(/\/$/, '')}/`.startsWith(`${named.pathname.replace(/\/$/, '')}/`);
}

/** Resolves to nothing where the server publishes none. Rejects for metadata that must not be used. */
export async function findResourceMetadata(
  discovery: Discovery,
  serverUrl: string,
  challenge: Challenge | undefined,
): Promise<ResourceMetadata | undefined> {
  const step = 'resource-metadata';
  const { steps } = discovery;
  const found = await firstDocument(discovery, step, resourceMetadataPlaces(serverUrl, challenge));
  if (found === undefined) return undefined;
  const { url, rule, status, document } = found;
  const read = readResourceMetadata(serverUrl, document);
  if ('problem' in read)
    throw steps.failure({
      step,
      url,
      status,
      found: read.problem,
      rule: 'RFC 9728, 3.3: the resource must be the server',
      hint: 'Connect by the URL that the server is published as, or correct its metadata.',
    });
  const text = `The resource ${read.resource} trusts ${read.issuers.join(', ')}.`;
  steps.add({ step, url, status, found: text, rule, next: 'find the authorization server' });
  return read;
}
