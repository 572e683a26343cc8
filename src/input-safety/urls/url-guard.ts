/** An allow-list for untrusted URLs: checked before the request, at the connection and at every redirect. */
import { isIP } from 'node:net';
import { TenonError } from '../../lib/errors/tenon-error.ts';
import { callback, checkOptions, count, isTexts, wholeDuration } from '../../lib/options/option-rules.ts';
import { parseUrl } from '../../lib/text/parse-url.ts';
import { shown } from '../../lib/text/shown.ts';
import { readAllowList } from './allow-list.ts';
import { createConnections, type LookupAddresses } from './connections.ts';
import { fetchGuarded } from './guarded-fetch.ts';
import { isInNetworks, networkList, specialNetworkOf } from './public-addresses.ts';

/** The options of `createUrlGuard`. */
export interface UrlGuardOptions {
  /**
   * The URLs that are allowed: `https://api.example.com` for one host, `https://*.example.com` for its subdomains,
   * `https://*` for every public host. A path allows what is below it; a port must be written.
   */
  readonly allow: readonly string[];
  /** Networks that are allowed though they are not public, such as `10.1.0.0/16`. Default none. */
  readonly allowedNetworks?: readonly string[];
  /** Redirects of one `fetch`. Default 5. */
  readonly maxRedirects?: number;
  /** Bytes of a response after decompression. Default 10 MiB. */
  readonly maxResponseBytes?: number;
  /** Milliseconds from the call of `fetch` to the last byte of the body. Default 30 seconds. */
  readonly timeoutMs?: number;
  /** Finds the addresses of a host name. Default the system's resolver. */
  readonly lookup?: LookupAddresses;
}

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

const texts = { holds: isTexts, must: 'be a list of strings' };

const rules = {
  allow: { holds: (value: unknown) => isTexts(value) && (value as string[]).length > 0, must: 'list at least one URL' },
  allowedNetworks: texts,
  maxRedirects: { holds: (value: unknown) => value === 0 || count.holds(value), must: 'be an integer, 0 or more' },
  maxResponseBytes: count,
  timeoutMs: wholeDuration,
  lookup: callback,
};

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
  checkOptions('createUrlGuard()', options, rules);
  if (options.allow === undefined) checkOptions('createUrlGuard()', { allow: null }, rules);
  const { maxRedirects = 5, maxResponseBytes = 10 * 1024 * 1024, timeoutMs = 30_000 } = options;
  const allows = readAllowList(options.allow);
  const ownNetworks = networkList(options.allowedNetworks ?? [], 'allowedNetworks');

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

  const connections = createConnections({ refuseAddress, ...(options.lookup && { lookup: options.lookup }) });
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
