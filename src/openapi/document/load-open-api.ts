/** `loadOpenApi()`: reads a document, JSON or YAML, from a file or a URL. */
import { TenonError } from '../../lib/errors/tenon-error.ts';
import { readOptions } from '../../lib/options/read-options.ts';
import { excerpt } from '../../lib/text/excerpt.ts';
import { parseUrl } from '../../lib/text/parse-url.ts';
import { type Fields, isRecord } from '../../lib/values/is.ts';
import { entriesOf, invalidDocument, listOf, type OpenApiDocument, readDocument } from './document.ts';
import { joinReferences } from './external-references.ts';
import { openFiles, tooLarge } from './files.ts';
import { loadOpenApiOptions } from './load-options.table.ts';
import type { LoadOpenApiOptions } from './load-options.ts';
import { readYaml } from './read-yaml.ts';

/**
 * Reads an OpenAPI document, JSON or YAML, from a path or a URL. Throws `invalid-openapi`, and the errors of reading.
 *
 * ```ts
 * const server = openapiServer(await loadOpenApi('./api.yaml'), { auth: { apiKey: key } });
 * ```
 */
export async function loadOpenApi(source: string | URL, options: LoadOpenApiOptions = {}): Promise<OpenApiDocument> {
  const settings = readOptions('loadOpenApi()', loadOpenApiOptions, options);
  const { externalReferences, maxDocumentBytes, maxFiles } = settings;
  const files = openFiles(source, settings);
  try {
    let left = maxDocumentBytes;
    const read = async (url: string): Promise<Fields> => {
      const text = await files.read(url);
      left -= Buffer.byteLength(text);
      if (left < 0) throw tooLarge(maxDocumentBytes);
      return parsed(text, url);
    };
    const root = await read(files.url);
    readDocument(root);
    const whole = externalReferences ? await joinReferences(root, files.url, { read, maxFiles }) : root;
    if (!files.url.startsWith('file:')) completeServers(whole, files.url);
    return whole as unknown as OpenApiDocument;
  } finally {
    await files.close();
  }
}

function parsed(text: string, url: string): Fields {
  let value: unknown;
  try {
    value = /^\s*\{/.test(text) ? JSON.parse(text) : readYaml(text);
  } catch (cause) {
    if (cause instanceof TenonError) throw cause;
    const reason = excerpt(cause instanceof Error ? cause.message : String(cause), 200);
    throw invalidDocument(`${fileName(url)} is neither JSON nor YAML: ${reason}`, 'Correct the document.');
  }
  if (!isRecord(value)) throw invalidDocument(`${fileName(url)} is not an object.`, 'Name an OpenAPI document.');
  return value;
}

const fileName = (url: string): string => decodeURIComponent(parseUrl(url)?.pathname.split('/').at(-1) ?? '');

/** Servers may be relative to the URL of their document. */
function completeServers(root: Fields, url: string): void {
  const complete = (holder: unknown): void => {
    if (!isRecord(holder)) return;
    for (const server of listOf(holder.servers))
      if (isRecord(server) && typeof server.url === 'string' && !server.url.includes('{'))
        server.url = parseUrl(server.url, url)?.href ?? server.url;
  };
  if (root.servers === undefined || listOf(root.servers).length === 0) root.servers = [{ url: '/' }];
  complete(root);
  for (const [, path] of entriesOf(root.paths)) {
    complete(path);
    for (const [, operation] of entriesOf(path)) complete(operation);
  }
}
