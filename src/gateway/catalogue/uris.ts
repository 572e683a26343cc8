/** URIs of upstreams as callers see them, in lists, contents, links and messages. */
import { type Fields, isRecord } from '../../lib/values/is.ts';

/** Changes a URI, or leaves it. */
export type ChangeUri = (uri: string) => string;

export interface Uris {
  /** From the upstream to callers. */
  readonly outward: ChangeUri;
  /** From callers to the upstream. */
  readonly inward: ChangeUri;
}

const same: ChangeUri = (uri) => uri;

/** Those of an upstream that is the only one. */
export const ownUris: Uris = { outward: same, inward: same };

const appScheme = 'ui://';

/** Hosts look for the scheme of apps: it stays. */
export function uriPrefix(upstream: string): Uris {
  const name = encodeURIComponent(upstream);
  const [plain, app] = [`via:${name}/`, `${appScheme}via.${name}/`];
  return {
    outward: (uri) => (uri.startsWith(appScheme) ? app + uri.slice(appScheme.length) : plain + uri),
    inward: (uri) =>
      uri.startsWith(plain) ? uri.slice(plain.length) : uri.startsWith(app) ? appScheme + uri.slice(app.length) : uri,
  };
}

/** The name in a URI of an upstream. */
export function upstreamIn(uri: string): string | undefined {
  const name = /^(?:via:|ui:\/\/via\.)([^/]*)\//.exec(uri)?.[1];
  try {
    return name && decodeURIComponent(name);
  } catch {
    return undefined;
  }
}

/** The result of a method, with other URIs. Structured content and texts stay. */
export function withUris(method: string, result: Fields, change: ChangeUri): Fields {
  if (change === same) return result;
  if (method === 'tools/call')
    return withMeta(
      mappedIn(result, 'content', (block) => ofContent(block, change)),
      change,
    );
  if (method === 'resources/read') return mappedIn(result, 'contents', (part) => withUri(part, change));
  if (method === 'prompts/get') return mappedIn(result, 'messages', (message) => ofMessage(message, change));
  return result;
}

/** A record of a list, with other URIs. */
export const recordWithUris = (record: Fields, change: ChangeUri): Fields =>
  change === same ? record : withMeta(withUri(withUri(record, change), change, 'uriTemplate'), change);

/** A request of an upstream, or the answer to it. Sampling has contents; roots and forms are the client's own. */
export function sampledWithUris(fields: Fields, change: ChangeUri): Fields {
  if (change === same) return fields;
  const messages = mappedIn(fields, 'messages', (message) => ofMessage(message, change));
  return 'content' in messages ? { ...messages, content: ofContents(messages.content, change) } : messages;
}

const ofMessage = (message: Fields, change: ChangeUri): Fields =>
  'content' in message ? { ...message, content: ofContents(message.content, change) } : message;

const ofContents = (content: unknown, change: ChangeUri): unknown =>
  Array.isArray(content) ? content.map((one) => ofContents(one, change)) : ofContent(content, change);

/** Links, embedded resources, and the blocks of a result of a tool in a message. */
function ofContent<T>(block: T, change: ChangeUri): T | Fields {
  if (!isRecord(block)) return block;
  if (block.type === 'resource_link') return withUri(block, change);
  if (block.type === 'resource' && isRecord(block.resource))
    return { ...block, resource: withUri(block.resource, change) };
  return block.type === 'tool_result' ? mappedIn(block, 'content', (one) => ofContent(one, change) as Fields) : block;
}

/** The page of an app. */
function withMeta(fields: Fields, change: ChangeUri): Fields {
  const { _meta } = fields;
  if (!isRecord(_meta)) return fields;
  const flat = withUri(_meta, change, 'ui/resourceUri');
  const ui = isRecord(flat.ui) ? withUri(flat.ui, change, 'resourceUri') : flat.ui;
  return flat === _meta && ui === flat.ui ? fields : { ...fields, _meta: ui === flat.ui ? flat : { ...flat, ui } };
}

const withUri = (fields: Fields, change: ChangeUri, key = 'uri'): Fields =>
  typeof fields[key] === 'string' ? { ...fields, [key]: change(fields[key]) } : fields;

function mappedIn(fields: Fields, key: string, change: (item: Fields) => unknown): Fields {
  const items = fields[key];
  if (!Array.isArray(items)) return fields;
  return { ...fields, [key]: items.map((item) => (isRecord(item) ? change(item) : item)) };
}
