/** `openapiServer()`: a server whose tools are the operations of an HTTP API, from its OpenAPI document. */
import { createUrlGuard } from '../input-safety/urls/url-guard.ts';
import type { TenonError } from '../lib/errors/tenon-error.ts';
import { wrong } from '../lib/options/option-rules.ts';
import { readOptions } from '../lib/options/read-options.ts';
import { isRecord } from '../lib/values/is.ts';
import { runSafely } from '../lib/values/run-safely.ts';
import type { ToolDefinition } from '../server/definition/tool.ts';
import { createServer, type Server } from '../server/server.ts';
import { readCredentials } from './calls/credentials.ts';
import {
  invalidDocument,
  type OpenApiDocument,
  type ReadDocument,
  readDocument,
  textOf,
  Unusable,
} from './document/document.ts';
import { type Api, operationTool } from './operation-tool.ts';
import { findOperations } from './operations/find-operations.ts';
import { nameOperations } from './operations/names.ts';
import { type FoundOperation, type OmittedOperation, shownOperation } from './operations/operation.ts';
import { schemesOf } from './operations/security.ts';
import { selectOperations } from './operations/select.ts';
import { baseUrlOf } from './operations/server-url.ts';
import { openApiOptions } from './options.table.ts';
import type { OpenApiOptions, OpenApiServerOptions } from './options.ts';

/**
 * Creates a server from an OpenAPI 3 document: each operation is a tool. Throws `invalid-openapi` for a document that cannot be
 * used. An operation that cannot be a tool is left out, and `onOmitted` gets the reason.
 *
 * ```ts
 * const server = openapiServer(await loadOpenApi('./github.json'), {
 *   include: [{ tags: ['issues'], methods: ['get', 'post'] }],
 *   auth: bearerToken(() => readToken()),
 * });
 * await serveStdio(server);
 * ```
 */
export function openapiServer(document: OpenApiDocument, options: OpenApiServerOptions = {}): Server {
  const { own, serverOptions } = separated(options);
  const settings = readOptions('openapiServer()', openApiOptions, own);
  const { include, exclude, onOmitted, maxOperations, headers = {} } = settings;
  const read = readDocument(document);
  const base = baseUrlOf(read, settings);
  checkEncryption(base, settings);
  const api: Api = {
    document: read,
    base,
    variables: settings.variables ?? {},
    headers: lowerCased(headers),
    credentials: readCredentials(settings.auth, [...schemesOf(read).keys()], base),
    fetch: createUrlGuard({
      allow: [base.origin],
      allowedNetworks: settings.allowedNetworks ?? [],
      maxResponseBytes: settings.maxResponseBytes,
      timeoutMs: settings.requestTimeoutMs,
    }).fetch,
    maxResultChars: settings.maxResultChars,
    maxDescriptionChars: settings.maxDescriptionChars,
  };
  const { found, omitted } = findOperations(read);
  const selected = selectOperations(found, { include, exclude, maxOperations });
  const { tools, unusable } = toolsFor(nameOperations(selected, settings.name), api);
  const left = include === undefined ? [...omitted, ...unusable] : unusable;
  for (const one of left) runSafely(() => onOmitted?.(one));
  const asked = unusable.find(({ operation: { id } }) => include?.some(({ ids = [] }) => ids.includes(id ?? '')));
  if (asked !== undefined) throw cannotServe(asked);
  if (Object.keys(tools).length === 0) throw nothingLeft(left);
  return createServer({ ...described(read), tools }, serverOptions) as Server;
}

const ownNames = Object.keys(openApiOptions) as (keyof OpenApiOptions)[];

function separated(options: OpenApiServerOptions): { own: OpenApiOptions; serverOptions: object } {
  if (!isRecord(options)) throw wrong('openapiServer()', 'options', 'be an object');
  const isOwn = (name: string): boolean => (ownNames as readonly string[]).includes(name);
  const entries = Object.entries(options);
  return {
    own: Object.fromEntries(entries.filter(([name]) => isOwn(name))) as OpenApiOptions,
    serverOptions: Object.fromEntries(entries.filter(([name]) => !isOwn(name))),
  };
}

/** Credentials are not sent where others can read them, unless the network was named. */
function checkEncryption(base: URL, { auth, allowedNetworks = [] }: OpenApiOptions): void {
  if (auth !== undefined && base.protocol === 'http:' && allowedNetworks.length === 0)
    throw wrong(
      'openapiServer()',
      'baseUrl',
      'be an https: URL: the requests have credentials. For an API in your own network set allowedNetworks',
    );
}

/** Header names in lower case, since they are compared. A value that the platform would refuse is not repeated in an error. */
function lowerCased(headers: Readonly<Record<string, string>>): Record<string, string> {
  const entries = Object.entries(headers);
  for (const [name, value] of entries)
    if (!/^[\w!#$%&'*+.^`|~-]+$/.test(name) || !/^[\x20-\x7e]*$/.test(value))
      throw wrong('openapiServer()', 'headers', 'have names and values of visible ASCII characters');
  return Object.fromEntries(entries.map(([name, value]) => [name.toLowerCase(), value]));
}

function toolsFor(operations: ReadonlyMap<string, FoundOperation>, api: Api) {
  const tools: Record<string, ToolDefinition> = {};
  const unusable: OmittedOperation[] = [];
  for (const [name, operation] of operations) {
    try {
      tools[name] = operationTool(operation, api);
    } catch (error) {
      if (!(error instanceof Unusable)) throw error;
      const { id, method, path, tags } = operation;
      unusable.push({ operation: { id, method, path, tags }, reason: error.message });
    }
  }
  return { tools, unusable };
}

const cannotServe = ({ operation, reason }: OmittedOperation): TenonError =>
  invalidDocument(
    `${shownOperation(operation)} cannot be a tool: ${reason}.`,
    'Correct the document, or do not include it.',
    {
      operation,
    },
  );

function nothingLeft(omitted: readonly OmittedOperation[]): TenonError {
  const [first] = omitted;
  if (first === undefined) return invalidDocument('The document has no operations.', 'Name a document with paths.');
  return invalidDocument(
    `No operation of the document can be a tool. The first, ${shownOperation(first.operation)}: ${first.reason}.`,
    'onOmitted gets the reason of each.',
    { omitted },
  );
}

/**
 * Characters of the instructions of the server.
 * @limit OpenAPI
 * @beyond the rest is left out
 */
const maxInstructions = 2000;

function described({ root }: ReadDocument) {
  const { title, version, description } = isRecord(root.info) ? root.info : {};
  const name = textOf(title)
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '-')
    .replace(/^-+|-+$/g, '')
    .slice(0, 64);
  const instructions = textOf(description).trim().slice(0, maxInstructions);
  return {
    name: name === '' ? 'api' : name,
    version: textOf(version) === '' ? '0' : textOf(version),
    ...(textOf(title) !== '' && { title: textOf(title) }),
    ...(instructions !== '' && { instructions }),
  };
}
