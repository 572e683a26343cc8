/** What is wrong with an entry of `allowedHosts` or `allowedOrigins`, and what to write instead. */

import type { EntryProblem } from '../../../lib/options/option-rules.ts';
import { parseUrl } from '../../../lib/text/parse-url.ts';

/** Host names as in the `Host` header: in ASCII, one per entry. */
const host = /^(\[[\da-f:.]+\]|(?:(?![:/?#@,*])[!-~])+)$/i;
/** Scheme, host and port; or `null`, which pages without an origin send. */
const origin = /^([a-z][a-z\d+.-]*:\/\/[^\s/?#@,*]+|null)$/i;

export function hostProblem(entry: unknown): EntryProblem | undefined {
  if (typeof entry !== 'string') return { problem: 'is not a string' };
  if (host.test(entry)) return undefined;
  const problem = commonProblem(entry) ?? hostOnlyProblem(entry);
  return { problem: quoted(entry, problem), fix: hostIn(entry) };
}

export function originProblem(entry: unknown): EntryProblem | undefined {
  if (typeof entry !== 'string') return { problem: 'is not a string' };
  if (origin.test(entry)) return undefined;
  const problem = commonProblem(entry) ?? originOnlyProblem(entry);
  return { problem: quoted(entry, problem), fix: originIn(entry) };
}

/** An entry with a user name may have a password, so it is not shown. */
const quoted = (entry: string, problem: string): string =>
  entry.includes('@') || entry.length > 200 ? problem : `is ${JSON.stringify(entry)}, which ${problem}`;

function commonProblem(entry: string): string | undefined {
  if (entry === '') return 'is empty';
  if (/\s/.test(entry)) return 'has a space';
  if (entry.includes(',')) return 'has a comma: write one entry each';
  if (entry.includes('@')) return 'has a user name';
  return entry.includes('*') ? 'has a wildcard: write each name in full' : undefined;
}

function hostOnlyProblem(entry: string): string {
  if (/^[a-z][a-z\d+.-]*:\/\//i.test(entry)) return 'has a scheme';
  if (/[/?#]/.test(entry)) return slashOrPath(entry);
  if (/:[\da-f]*:/i.test(entry)) return 'is an IPv6 address without brackets';
  return entry.includes(':') ? 'has a port' : 'has characters that are not ASCII';
}

function originOnlyProblem(entry: string): string {
  return /^[a-z][a-z\d+.-]*:\/\//i.test(entry) ? slashOrPath(entry) : 'has no scheme';
}

const slashOrPath = (entry: string): string => (/[^/]\/$/.test(entry) ? 'ends with a slash' : 'has a path');

/** The host name of an entry, where it is certain. */
function hostIn(entry: string): string | undefined {
  const found = parseUrl(entry.includes('://') ? entry : `http://${/:[\da-f]*:/i.test(entry) ? `[${entry}]` : entry}`);
  return found !== undefined && host.test(found.hostname) ? found.hostname : undefined;
}

function originIn(entry: string): string | undefined {
  const found = parseUrl(entry.includes('://') ? entry : `https://${entry}`);
  return found !== undefined && /^https?:$/.test(found.protocol) && origin.test(found.origin)
    ? found.origin
    : undefined;
}
