/** Checks the options of `serveHttp` before anything listens. */

import {
  called,
  flag,
  graced,
  has,
  isFunction,
  isObject,
  type Rule,
  type Rules,
  refused,
  timed,
  unusable,
  wholeTimed,
} from '../../protocol/option-rules.ts';
import { eventsPath } from '../../server/http/admission/founding-clients.ts';
import { checkHttpOptions } from '../../server/http/options-check.ts';
import type { SsePaths } from './sse.ts';

const isPath = (value: unknown): boolean => typeof value === 'string' && /^\/[^\s?#]*$/.test(value);

/** Without a certificate, or what replaces it, every handshake would fail. */
const hasCertificate = (value: unknown): boolean =>
  isObject(value) &&
  ((isThere(value.key) && isThere(value.cert)) ||
    isThere(value.pfx) ||
    isFunction(value.SNICallback) ||
    // Pre-shared keys need no certificate, but ciphers: Node's defaults include none for them.
    (isFunction(value.pskCallback) && isThere(value.ciphers)));
const isThere = (value: unknown): boolean => value !== undefined && value !== null && value !== '';

const port: Rule = {
  holds: (value) => Number.isInteger(value) && (value as number) >= 0 && (value as number) <= 65_535,
  mend: 'Give an integer, 0 to 65535; 0 takes any that is free.',
};

const rules: Rules = {
  port,
  host: {
    holds: (value) => typeof value === 'string' && /^[^\s/]+$/.test(value),
    mend: "Give an address of this machine, such as '0.0.0.0'.",
  },
  path: { holds: isPath, mend: "Begin it with a slash, as '/mcp'." },
  sse: {
    holds: (value) => value === false || (isObject(value) && isPath(value.stream) && isPath(value.messages)),
    mend: "Write { stream: '/sse', messages: '/messages' }, or false.",
  },
  tls: { holds: hasCertificate, mend: 'Give a key and its certificate as PEM in key and cert, or a pfx.' },
  otherwise: called,
  graceMs: graced,
  headersTimeoutMs: wholeTimed,
  requestTimeoutMs: wholeTimed,
  stallTimeoutMs: timed,
  signals: flag,
};

/** Throws `invalid-argument` before anything listens. */
export function checkListening(server: unknown, options: unknown): void {
  if (!has(server, 'accept')) throw unusable('serveHttp()', 'there is no server', 'Pass what createServer() gives.');
  checkHttpOptions('serveHttp', options, rules);
  checkPaths(pathsOf(options as Paths));
}

/** The default paths of HTTP+SSE. */
export const defaultSse: SsePaths = { stream: '/sse', messages: '/messages' };

interface Paths {
  readonly path?: string;
  readonly sse?: SsePaths | false;
}

/** The paths as they appear in requests: percent-encoded, without `..`. */
export function pathsOf({ path = '/mcp', sse = defaultSse }: Paths): Required<Paths> {
  if (sse === false || sse === defaultSse) return { path: encoded(path), sse };
  return { path: encoded(path), sse: { stream: encoded(sse.stream), messages: encoded(sse.messages) } };
}

const encoded = (path: string): string => new URL(`http://localhost${path}`).pathname;

/** Paths of HTTP+SSE must differ from those of the endpoint, which come first. */
function checkPaths({ path, sse }: Required<Paths>): void {
  if (sse === false) return;
  const taken = [path, eventsPath(path)];
  if (!taken.includes(sse.stream) && !taken.includes(sse.messages)) return;
  if (sse === defaultSse)
    throw refused('serveHttp()', 'path', 'HTTP+SSE is served there: choose another, or give sse other paths or false.');
  throw refused('serveHttp()', 'sse', `Give it paths of its own: ${taken.join(' and ')} are taken.`);
}
