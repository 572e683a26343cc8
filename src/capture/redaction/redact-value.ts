/** A JSON value without its secrets: by the names of its fields, and by the form of its texts. */
import { isSecretName, maskText } from '../../lib/text/secret-text.ts';
import { isRecord } from '../../lib/values/is.ts';
import type { Placeholders } from './placeholders.ts';

/** Fields of the protocol that give access to something, though their names do not say so. */
const accessFields: ReadonlySet<string> = new Set(['requestState', 'taskId']);

/** Deeper values are left out. */
const maxDepth = 128;

export function redactValue(value: unknown, placeholders: Placeholders, depth = 0): unknown {
  if (typeof value === 'string') return redactJson(value, placeholders, depth) ?? redactText(value, placeholders);
  if (typeof value !== 'object' || value === null) return value;
  if (depth === maxDepth) return '‹nested too deep›';
  if (Array.isArray(value)) return value.map((one) => redactValue(one, placeholders, depth + 1));
  return Object.fromEntries(
    Object.entries(value).map(([name, one]) => [
      redactText(name, placeholders),
      redactField(name, one, placeholders, depth + 1),
    ]),
  );
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

function redactField(name: string, value: unknown, placeholders: Placeholders, depth: number): unknown {
  if (accessFields.has(name) && typeof value === 'string') return placeholders.of(value);
  // In a JSON schema, a field of this name describes the secret.
  if (isSecretName(name) && !isRecord(value)) return redactWhole(value, placeholders);
  return redactValue(value, placeholders, depth);
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
