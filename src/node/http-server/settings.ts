/** Reads the options of `serveHttp` before anything listens. */

import { has, type OtherNames, wrong } from '../../lib/options/option-rules.ts';
import { readOptions } from '../../lib/options/read-options.ts';
import { serverExpected } from '../../ports/official-server.ts';
import { eventsPath } from '../../server/http/admission/founding-clients.ts';
import { completed, otherNames } from '../../server/http/settings.ts';
import { checkStore } from '../../server/kernel/store-check.ts';
import type { Routes } from '../../server/ports/routes.ts';
import { serveHttpOptions } from './options.table.ts';
import type { ServeHttpOptions, SsePaths } from './options.ts';
import { checkClientAddresses, checkProtection } from './other-machines.ts';

/** The names in Node and in other libraries. */
const names: OtherNames = {
  ...otherNames,
  hostname: 'host',
  endpoint: 'path',
  https: 'tls',
  cert: 'tls.cert',
  key: 'tls.key',
};

export type ServeHttpSettings = ReturnType<typeof readServeHttpOptions>;

/** Throws `invalid-argument`. */
export function readServeHttpOptions(server: unknown, options: ServeHttpOptions) {
  if (!has(server, 'accept')) throw wrong('serveHttp()', 'server', serverExpected(server));
  const read = readOptions('serveHttp()', serveHttpOptions, options, names);
  checkStore('serveHttp()', read.store);
  const paths = pathsOf(read);
  checkPaths(paths, read.authenticate?.routes);
  checkProtection(read);
  checkClientAddresses(read);
  return { ...completed(read), ...paths };
}

/** The default paths of HTTP+SSE. */
const defaultSse: SsePaths = { stream: '/sse', messages: '/messages' };

interface Paths {
  readonly path: string;
  readonly legacySse?: SsePaths | false;
}

/** The paths as they appear in requests: percent-encoded, without `..`. */
function pathsOf({ path, legacySse = defaultSse }: Paths): Required<Paths> {
  if (legacySse === false || legacySse === defaultSse) return { path: encoded(path), legacySse };
  const { stream, messages } = legacySse;
  return { path: encoded(path), legacySse: { stream: encoded(stream), messages: encoded(messages) } };
}

const encoded = (path: string): string => new URL(`http://localhost${path}`).pathname;

/** Paths of HTTP+SSE must differ from those of the endpoint, which come first. */
function checkPaths({ path, legacySse: sse }: Required<Paths>, routes: Routes | undefined): void {
  if (routes?.has(path)) throw wrong('serveHttp()', 'path', 'differ from the paths of the authorization server');
  if (sse === false) return;
  const taken = [path, eventsPath(path)];
  if (!taken.includes(sse.stream) && !taken.includes(sse.messages)) return;
  if (sse === defaultSse)
    throw wrong('serveHttp()', 'path', 'differ from the paths of HTTP+SSE: choose another, or set legacySse');
  throw wrong('serveHttp()', 'legacySse', `have paths of its own: ${taken.join(' and ')} are taken`);
}
