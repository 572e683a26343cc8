/** A resource: `resource()` defines one, compiling checks its URI, serving runs its handler and returns the contents. */
import { RpcError } from '../../jsonrpc/errors.ts';
import { toBase64 } from '../../lib/text/base64.ts';
import { isUrl } from '../../lib/text/parse-url.ts';
import type { Fields } from '../../lib/values/is.ts';
import type { Settled } from '../../ports/call-outcome.ts';
import { isResource } from '../../protocol/generated/record-checks.ts';
import type { CacheHint } from '../../protocol/neutral.ts';
import { checkCache } from '../checks/cache-hint.ts';
import { refused } from '../checks/definition-error.ts';
import { checkArguments, checkFields, checkPositive, checkRecord } from '../checks/definition-fields.ts';
import { notContents } from '../checks/returned-values.ts';
import { checkScopes } from '../checks/scopes.ts';
import type { Compiled } from '../definition/compiled.ts';
import { checkMeta } from '../definition/meta.ts';
import type { ResourceBody, ResourceDefinition, ResourceOptions, ResourcePart } from '../definition/resource.ts';
import { markedOf } from '../definition/returns.ts';
import { outcomeOfRequests } from '../server-requests/returned-requests.ts';
import { type Invocation, resourceMissing } from './invocation.ts';
import { startAllowed } from './judge.ts';
import { limitTime } from './time-limit.ts';

/**
 * Defines a resource. The handler runs for each read and returns text, bytes, or a list of parts.
 *
 * ```ts
 * resources: { 'notes://today': resource({ mimeType: 'text/plain' }, () => 'Buy bread') }
 * ```
 */
export const resource = (options: ResourceOptions, read: ResourceDefinition['handler']): ResourceDefinition => {
  checkArguments('resource', options, read);
  return {
    kind: 'resource',
    options,
    handler: read,
    compile: compileResource,
  };
};

const fields = [
  'name',
  'title',
  'description',
  'mimeType',
  'size',
  'icons',
  'annotations',
  '_meta',
  'cache',
  'timeoutMs',
  'scopes',
] as const satisfies readonly (keyof ResourceOptions)[];

/** A scheme, then only characters that a URI can have: the URL parser would accept others and encode them. */
const uriShape = /^[a-z][a-z\d+.-]*:[^\s<>"{}|\\^`\p{Cc}]*$/iu;

function compileResource(uri: string, source: ResourceDefinition): Compiled<Invocation> {
  const place = `resources[${JSON.stringify(uri)}]`;
  if (!uriShape.test(uri) || !isUrl(uri)) {
    throw refused(
      `${place}: the key is not a URI.`,
      'Start it with a scheme, as in notes://today, and write spaces as %20.',
    );
  }
  checkFields(place, { ...source.options }, fields);
  const { cache, timeoutMs, scopes: ownScopes, ...described } = source.options;
  checkPositive(`${place}.timeoutMs`, timeoutMs);
  checkCache(`${place}.cache`, cache);
  const scopes = checkScopes(place, ownScopes);
  const record = { ...described, uri, name: described.name ?? uri };
  checkRecord(place, record, isResource);
  const { handler: read } = source;
  const readable = { mimeType: described.mimeType, cache, timeoutMs, scopes, mayBeMissing: false };
  return {
    source,
    record,
    timeoutMs,
    scopes,
    serve: (invocation) => readResource(invocation, readable, () => read(invocation.context)),
  };
}

/** The parts of a resource or a template that a read needs. */
export interface Readable {
  readonly mimeType: string | undefined;
  readonly cache: CacheHint | undefined;
  readonly timeoutMs: number | undefined;
  readonly scopes: readonly string[] | undefined;
  /** The template that the resource is read through. */
  readonly template?: string;
  /** Whether `undefined` means that there is no such resource: a template matches more URIs than exist. */
  readonly mayBeMissing: boolean;
}

/** `variables` are those of the template. */
export async function readResource(
  invocation: Invocation,
  readable: Readable,
  read: () => unknown,
  variables?: Readonly<Record<string, string>>,
): Promise<Settled> {
  limitTime(invocation, readable.timeoutMs);
  const { guarded, target: resource } = invocation;
  const { template } = readable;
  const feature = template === undefined ? { resource } : { resource, template };
  const refused = guarded && (await startAllowed(invocation, guarded, 'read', [feature], variables));
  if (refused !== undefined) return refused;
  try {
    return outcomeOf(invocation, readable, await read());
  } catch (error) {
    throw isBareNotFound(error) ? resourceMissing(resource, error) : error;
  }
}

/** Clients distinguish a missing resource from invalid params by the URI in `data`. */
const isBareNotFound = (error: unknown): error is RpcError =>
  RpcError.isOwn(error) && error.reason === 'resource-not-found' && error.data === undefined;

function outcomeOf(invocation: Invocation, readable: Readable, body: unknown): Settled {
  const { target } = invocation;
  const { mimeType, mayBeMissing } = readable;
  if (body === undefined && mayBeMissing) return resourceMissing(target);
  const marked = markedOf(body);
  if (marked?.type === 'input-required') return outcomeOfRequests(invocation, marked);
  const contents = partsOf(body as ResourceBody, target).map((part) => contentsOf(part, target, mimeType));
  return { resultType: 'complete', result: { contents }, cache: cacheOf(readable, invocation) };
}

/** Contents that need scopes, or a guard's permission, are never shared between users. */
function cacheOf({ cache, scopes }: Readable, { cache: ofServer, guarded }: Invocation): CacheHint | undefined {
  const hint = cache ?? ofServer;
  const isForAll = scopes === undefined && guarded === undefined;
  return hint === undefined || isForAll ? hint : { ...hint, scope: 'private' };
}

function partsOf(body: ResourceBody, uri: string): readonly ResourcePart[] {
  if (typeof body === 'string') return [{ text: body }];
  if (body instanceof Uint8Array) return [{ bytes: body }];
  if (Array.isArray(body)) return body;
  throw notContents(`resources[${JSON.stringify(uri)}]`, body);
}

function contentsOf(
  { uri, mimeType, text, bytes, _meta }: ResourcePart,
  requestedUri: string,
  defaultType: unknown,
): Fields {
  const type = mimeType ?? defaultType;
  checkMeta('contents', _meta);
  return {
    uri: uri ?? requestedUri,
    ...(type !== undefined && { mimeType: type }),
    ...(bytes === undefined ? { text: text ?? '' } : { blob: toBase64(bytes) }),
    ...(_meta && { _meta }),
  };
}
