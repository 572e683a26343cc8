/** HTTP headers without secrets: the values of those that are known to hold none stay. */
import { type Placeholders } from './placeholders.ts';
import { redactText } from './redact-value.ts';

/** Headers whose values are stored, except parts that look like secrets. */
const harmless: ReadonlySet<string> = new Set([
  'accept',
  'allow',
  'cache-control',
  'connection',
  'content-length',
  'content-type',
  'date',
  'host',
  'mcp-method',
  'mcp-name',
  'mcp-protocol-version',
  'origin',
  'retry-after',
  'server',
  'transfer-encoding',
  'user-agent',
  'vary',
  'www-authenticate',
]);

export function redactHeaders(
  headers: Readonly<Record<string, string>>,
  placeholders: Placeholders,
): Record<string, string> {
  const shown: Record<string, string> = {};
  for (const [name, value] of Object.entries(headers))
    shown[name] = harmless.has(name) ? redactText(value, placeholders) : secretIn(value, placeholders);
  return shown;
}

/** The scheme of credentials is no secret, and the token after it is the same in other places. */
function secretIn(value: string, placeholders: Placeholders): string {
  const [, scheme, token] = /^(Bearer|Basic|DPoP) +(.+)$/i.exec(value) ?? [];
  return token === undefined ? placeholders.of(value) : `${scheme} ${placeholders.of(token)}`;
}
