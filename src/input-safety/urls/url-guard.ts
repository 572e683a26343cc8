/** An allow-list for untrusted URLs: checked before the request, at the connection and at every redirect. */
import { isIP } from 'node:net';
import { TenonError } from '../../lib/errors/tenon-error.ts';
import { readOptions } from '../../lib/options/read-options.ts';
import { parseUrl } from '../../lib/text/parse-url.ts';
import { shown } from '../../lib/text/shown.ts';
import { readAllowList } from './allow-list.ts';
import { createConnections } from './connections.ts';
import { fetchGuarded } from './guarded-fetch.ts';
import { urlGuardOptions } from './options.table.ts';
import type { UrlGuardOptions } from './options.ts';
import { isInNetworks, networkList, specialNetworkOf } from './public-addresses.ts';

/** Checks URLs against an allow-list, and requests allowed ones. */
export interface UrlGuard {
  /**
   * Returns the parsed URL if it is on the allow-list, and throws `url-not-allowed` otherwise. The addresses of a host name
   * are checked only when a connection is made: use `fetch` of this guard for the request.
   */
  check(url: string | URL): URL;
  /**
   * `fetch` for allowed URLs. A host name is resolved once, and all its addresses must be public. Redirects are checked as the
   * first URL was. Throws `url-not-allowed`, `too-many-redirects`, `response-too-large`, `timeout`, `host-not-found` or `unreachable`.
   */
  fetch(url: string | URL, init?: RequestInit): Promise<Response>;
  /** Closes idle connections. */
  close(): Promise<void>;
  [Symbol.asyncDispose](): Promise<void>;
}

/**
 * Creates a guard for requests to untrusted URLs. Connections are direct: proxies of the environment are not used, because
 * they would resolve names again.
 *
 * @example
 * ```ts
 * const guard = createUrlGuard({ allow: ['https://api.example.com'] });
 * const response = await guard.fetch(url);
 * ```
 */
export function createUrlGuard(options: UrlGuardOptions): UrlGuard {
  const read = readOptions('createUrlGuard()', urlGuardOptions, options);
  const { maxRedirects, maxResponseBytes, timeoutMs } = read;
  const allows = readAllowList(read.allow);
  const ownNetworks = networkList(read.allowedNetworks ?? [], 'allowedNetworks');

  const refuseAddress = (host: string, address: string): TenonError | undefined => {
    const network = isInNetworks(ownNetworks, address) ? undefined : specialNetworkOf(address);
    return network === undefined ? undefined : addressNotAllowed(host, network);
  };

  const check = (requested: string | URL): URL => {
    const url = parseUrl(String(requested));
    if (url === undefined) throw urlNotAllowed('The URL cannot be parsed.', 'Give an absolute URL.');
    if (url.username !== '' || url.password !== '')
      throw urlNotAllowed('The URL holds a user name or password.', 'Send credentials in a header.');
    if (!allows(url)) throw urlNotAllowed(`${shownOrigin(url)} is not on the allow-list.`, allowHint);
    const host = url.hostname.replace(/^\[|\]$/g, '');
    const refused = isIP(host) === 0 ? undefined : refuseAddress(host, host);
    if (refused !== undefined) throw refused;
    return url;
  };

  const connections = createConnections({ refuseAddress, ...(read.lookup && { lookup: read.lookup }) });
  const close = (): Promise<void> => connections.close();
  return {
    check,
    fetch: (url, init = {}) =>
      fetchGuarded(url, init, { check, connections, maxRedirects, maxResponseBytes, timeoutMs }),
    close,
    [Symbol.asyncDispose]: close,
  };
}

const allowHint = 'Use an allowed URL, or add it to allow of createUrlGuard().';

const urlNotAllowed = (message: string, hint: string): TenonError =>
  new TenonError('url-not-allowed', message, { hint });

/** The address itself is not shown: it would reveal the layout of a private network. */
const addressNotAllowed = (host: string, network: string): TenonError =>
  new TenonError('url-not-allowed', `The host ${shown(host)} has an address of ${network}.`, {
    hint: 'Use a public host, or add its network to allowedNetworks of createUrlGuard().',
    details: { network },
  });

const shownOrigin = ({ protocol, host }: URL): string => `${protocol}//${shown(host)}`;
