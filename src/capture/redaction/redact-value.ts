/** A JSON value without its secrets: by the names of its fields, and by the form of its texts. */
import { hasSecretValue, isCounted, isSecretName, isTokensName } from '../../lib/text/secret-names.ts';
import { maskText } from '../../lib/text/secret-text.ts';
import { isRecord } from '../../lib/values/is.ts';
import type { Placeholders } from './placeholders.ts';

/** Fields of the protocol that give access to something, though their names do not say so. */
const accessFields: ReadonlySet<string> = new Set(['requestState', 'taskId']);

/** Deeper values are left out. */
const maxDepth = 128;

/** The names of fields in it are those of a schema, and their values describe them. */
const schemaHolders: ReadonlySet<string> = new Set(['properties', 'patternProperties', '$defs', 'definitions']);

export function redactValue(value: unknown, placeholders: Placeholders, depth = 0, holder = ''): unknown {
  if (typeof value === 'string') return redactJson(value, placeholders, depth) ?? redactText(value, placeholders);
  if (typeof value !== 'object' || value === null) return value;
  if (depth === maxDepth) return '‹nested too deep›';
  if (Array.isArray(value)) return value.map((one) => redactValue(one, placeholders, depth + 1));
  const isSchema = schemaHolders.has(holder);
  const isPair = hasSecretValue(value);
  // First of all fields: the text beside it may repeat it.
  const link = linkIn(value, placeholders);
  return Object.fromEntries(
    Object.entries(value).map(([name, one]) => [
      redactText(name, placeholders),
      link !== undefined && name === 'url'
        ? link
        : isPair && name === 'value'
          ? redactWhole(one, placeholders)
          : redactField(name, one, placeholders, depth + 1, isSchema),
    ]),
  );
}

/** The link of an elicitation by URL, which is for one user: in a request, among the inputs of a result, or in an error. */
function linkIn(value: object, placeholders: Placeholders): string | undefined {
  const { mode, url } = value as { readonly mode?: unknown; readonly url?: unknown };
  return mode === 'url' && typeof url === 'string' ? redactLink(url, placeholders) : undefined;
}

/** A text that is JSON, as tools repeat their structured content, stays JSON; `undefined` if it is none. */
function redactJson(text: string, placeholders: Placeholders, depth: number): string | undefined {
  if (!/^\s*[[{]/.test(text) || depth >= maxDepth) return undefined;
  try {
    const value: unknown = JSON.parse(text);
    const redacted = JSON.stringify(redactValue(value, placeholders, depth + 1));
    if (redacted === JSON.stringify(value)) return text;
    return text.includes('\n') ? JSON.stringify(JSON.parse(redacted), null, 2) : redacted;
  } catch {
    return undefined;
  }
}

function redactField(
  name: string,
  value: unknown,
  placeholders: Placeholders,
  depth: number,
  isSchema: boolean,
): unknown {
  if (accessFields.has(name) && typeof value === 'string') return placeholders.of(value);
  const isSecret = isSecretName(name) || (isTokensName(name) && !isCounted(value));
  if (isSecret && !(isSchema && isRecord(value))) return redactWhole(value, placeholders);
  return redactValue(value, placeholders, depth, name);
}

/** Replaces all texts and numbers in a value. Booleans and null stay: programs may branch on them. */
export function redactWhole(value: unknown, placeholders: Placeholders): unknown {
  if (typeof value === 'string') return placeholders.of(value);
  if (typeof value === 'number') return 0;
  if (Array.isArray(value)) return value.map((one) => redactWhole(one, placeholders));
  if (!isRecord(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([name, one]) => [name, redactWhole(one, placeholders)]));
}

/** The values of `accessFields` and of session ids, where a text names them, also in JSON inside a text of JSON. */
const namedAccess: readonly RegExp[] = [
  /(?<=\b(?:requestState|taskId|mcp-session-id)\\{0,3}["']?\s{0,4}[:=]\s{0,4}\\{0,3}["']?)[\w.~+/=-]{4,}/gi,
];

export function redactText(text: string, placeholders: Placeholders): string {
  const masked = maskText(text, /[:=]/.test(text) ? namedAccess : [], (secret) => placeholders.of(secret));
  return placeholders.without(withoutCodes(masked, placeholders));
}

/** Codes and signatures of links. Codes of countries and the like are letters alone. */
const linkCodes = /(?<=[?&](?:code|sig|signature|ticket|SAMLResponse)=)(?=[a-z]{0,64}\d)[^&\s"'<>#\\]{4,}/gi;

const withoutCodes = (text: string, placeholders: Placeholders): string =>
  text.includes('=') ? text.replace(linkCodes, (code) => placeholders.of(code)) : text;

/** Parts of a path that name a page: a word, or a version. */
const pagePart = /^(?:[a-z_.-]{0,32}|v\d{1,3})$/i;

/** A link without what can be a code: the values of its query, its fragment, and parts of its path that are no words. */
function redactLink(link: string, placeholders: Placeholders): string {
  const [, start = '', path = '', query = '', fragment = ''] =
    /^([a-z][a-z\d+.-]*:\/\/[^/?#]*)?([^?#]*)(\?[^#]*)?(#.*)?$/is.exec(link) ?? [];
  const parts = path.split('/').map((part) => (pagePart.test(part) ? part : placeholders.of(part)));
  const rest = fragment.length > 1 ? `#${placeholders.of(fragment.slice(1))}` : fragment;
  return `${redactAddress(`${start}${parts.join('/')}${query}`, placeholders)}${rest}`;
}

/** An address without the values of its query, in which sign-in links carry codes. */
export function redactAddress(address: string, placeholders: Placeholders): string {
  const [path = '', query] = redactText(address, placeholders).split(/\?(.*)/s);
  if (query === undefined) return path;
  const fields = query.split('&').map((field) => {
    const [name = '', value] = field.split(/=(.*)/s);
    return value === undefined ? name : `${name}=${placeholders.of(value)}`;
  });
  return `${path}?${fields.join('&')}`;
}
