/** The URL that all requests begin with: `baseUrl`, or the first server of the document. */
import { wrong } from '../../lib/options/option-rules.ts';
import { nameHint } from '../../lib/text/nearest-name.ts';
import { parseUrl } from '../../lib/text/parse-url.ts';
import { shown } from '../../lib/text/shown.ts';
import { isRecord } from '../../lib/values/is.ts';
import { entriesOf, invalidDocument, listOf, type ReadDocument, textOf, Unusable } from '../document/document.ts';

export interface BaseOptions {
  readonly baseUrl?: string;
  readonly variables?: Readonly<Record<string, string>>;
}

export function baseUrlOf({ root }: ReadDocument, { baseUrl, variables = {} }: BaseOptions): URL {
  if (baseUrl !== undefined) {
    const url = webUrl(baseUrl);
    if (url === undefined)
      throw wrong('openapiServer()', 'baseUrl', 'be an http: or https: URL without a user, query or fragment');
    return url;
  }
  const [first] = listOf(root.servers);
  if (first === undefined) throw invalidDocument('The document names no server.', 'Set baseUrl.');
  const text = filled(first, variables);
  const url = webUrl(text);
  if (url !== undefined) return url;
  throw invalidDocument(`The first server of the document, ${shown(text)}, is not a whole URL.`, 'Set baseUrl.');
}

/** The server of an operation. Requests never leave the origin of the base URL, and neither do credentials. */
export function operationUrl(servers: unknown, base: URL, { variables = {} }: BaseOptions): URL {
  const [first] = listOf(servers);
  if (first === undefined) return base;
  const url = parseUrl(filled(first, variables), base.href);
  const own = url && webUrl(url.href);
  if (own === undefined) throw new Unusable('its server is not a URL');
  if (own.origin !== base.origin)
    throw new Unusable(`its server ${shown(own.origin)} is another than that of the base URL`);
  return own;
}

/** Without a slash at its end: paths begin with one. */
function webUrl(text: string): URL | undefined {
  const url = parseUrl(text);
  const isPlain =
    url !== undefined &&
    /^https?:$/.test(url.protocol) &&
    `${url.username}${url.password}${url.search}${url.hash}` === '';
  return isPlain ? url : undefined;
}

export const withoutSlash = ({ origin, pathname }: URL): string => `${origin}${pathname.replace(/\/+$/, '')}`;

function filled(server: unknown, variables: Readonly<Record<string, string>>): string {
  if (!isRecord(server)) return '';
  const declared = new Map(entriesOf(server.variables));
  return textOf(server.url).replace(/\{([^{}]*)\}/g, (_, name: string) => {
    const variable = declared.get(name);
    const { default: ownDefault, enum: allowed } = isRecord(variable) ? variable : {};
    const value = Object.hasOwn(variables, name) ? variables[name] : ownDefault;
    if (typeof value !== 'string')
      throw wrong('openapiServer()', `variables.${shown(name)}`, `be set. ${nameHint(name, [...declared.keys()])}`);
    if (Array.isArray(allowed) && allowed.length > 0 && !allowed.includes(value))
      throw wrong('openapiServer()', `variables.${shown(name)}`, `be one of ${allowed.map(String).join(', ')}`);
    return value;
  });
}
