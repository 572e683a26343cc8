/** Checks the options of `serveHttp` before anything listens. */

import {
  callback,
  duration,
  flag,
  has,
  isFunction,
  type OtherNames,
  type Rule,
  type Rules,
  wholeDuration,
  wrong,
} from '../../lib/options/option-rules.ts';
import { isRecord } from '../../lib/values/is.ts';
import { eventsPath } from '../../server/http/admission/founding-clients.ts';
import { checkHttpOptions } from '../../server/http/options-check.ts';
import { storeOrUrl } from '../service-store.ts';
import { checkProtection, type ReachOptions } from './other-machines.ts';
import type { SsePaths } from './sse.ts';

const isPath = (value: unknown): boolean => typeof value === 'string' && /^\/[^\s?#]*$/.test(value);

/** Without a certificate, or what replaces it, every handshake would fail. */
const hasCertificate = (value: unknown): boolean =>
  isRecord(value) &&
  ((isThere(value.key) && isThere(value.cert)) ||
    isThere(value.pfx) ||
    isFunction(value.SNICallback) ||
    // Pre-shared keys need no certificate, but ciphers: Node's defaults include none for them.
    (isFunction(value.pskCallback) && isThere(value.ciphers)));
const isThere = (value: unknown): boolean => value !== undefined && value !== null && value !== '';

const port: Rule = {
  holds: (value) => Number.isInteger(value) && (value as number) >= 0 && (value as number) <= 65_535,
  must: 'be an integer, 0 to 65535; 0 takes any free port',
};

const rules: Rules = {
  port,
  host: {
    holds: (value) => typeof value === 'string' && /^[^\s/]+$/.test(value),
    must: "be an address of this machine, such as '0.0.0.0'",
  },
  path: { holds: isPath, must: "begin with a slash, as '/mcp' does" },
  legacySse: {
    holds: (value) => value === false || (isRecord(value) && isPath(value.stream) && isPath(value.messages)),
    must: "be { stream: '/sse', messages: '/messages' } with paths of yours, or false",
  },
  tls: { holds: hasCertificate, must: 'have a key and its certificate as PEM in key and cert, or a pfx' },
  notFound: callback,
  closeOnSignals: flag,
  store: storeOrUrl,
  unprotected: flag,
  behindProxy: flag,
};

const timeouts: Rules = { headersMs: wholeDuration, requestMs: wholeDuration, stallMs: duration };

/** The names in Node and in other libraries. */
const otherNames: OtherNames = { hostname: 'host', endpoint: 'path', https: 'tls', cert: 'tls.cert', key: 'tls.key' };

/** Throws `invalid-argument` before anything listens. */
export function checkListening(server: unknown, options: unknown): void {
  if (!has(server, 'accept')) throw wrong('serveHttp()', 'server', 'be the result of createServer()');
  checkHttpOptions('serveHttp', options, { options: rules, timeouts, otherNames });
  checkPaths(pathsOf(options as Paths));
  checkProtection(options as ReachOptions);
}

/** The default paths of HTTP+SSE. */
export const defaultSse: SsePaths = { stream: '/sse', messages: '/messages' };

interface Paths {
  readonly path?: string;
  readonly legacySse?: SsePaths | false;
}

/** The paths as they appear in requests: percent-encoded, without `..`. */
export function pathsOf({ path = '/mcp', legacySse = defaultSse }: Paths): Required<Paths> {
  if (legacySse === false || legacySse === defaultSse) return { path: encoded(path), legacySse };
  const { stream, messages } = legacySse;
  return { path: encoded(path), legacySse: { stream: encoded(stream), messages: encoded(messages) } };
}

const encoded = (path: string): string => new URL(`http://localhost${path}`).pathname;

/** Paths of HTTP+SSE must differ from those of the endpoint, which come first. */
function checkPaths({ path, legacySse: sse }: Required<Paths>): void {
  if (sse === false) return;
  const taken = [path, eventsPath(path)];
  if (!taken.includes(sse.stream) && !taken.includes(sse.messages)) return;
  if (sse === defaultSse)
    throw wrong('serveHttp()', 'path', 'differ from the paths of HTTP+SSE: choose another, or set legacySse');
  throw wrong('serveHttp()', 'legacySse', `have paths of its own: ${taken.join(' and ')} are taken`);
}
