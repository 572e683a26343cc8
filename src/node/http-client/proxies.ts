/** The proxies of the environment: reads them, and detects errors of a proxy. */

import { TenonError } from '../../lib/errors/tenon-error.ts';
import { isUrl } from '../../lib/text/parse-url.ts';

const names = ['http_proxy', 'HTTP_PROXY', 'https_proxy', 'HTTPS_PROXY'] as const;

/** All variables that decide which proxy a request goes through. */
export const routingOf = (env: NodeJS.ProcessEnv): (string | undefined)[] =>
  [...names, 'no_proxy', 'NO_PROXY'].map((name) => env[name]);

/** Throws `invalid-argument` if one is not a URL. */
export function proxiesOf(env: NodeJS.ProcessEnv): URL[] {
  return names.flatMap((name) => {
    const value = env[name] ?? '';
    if (value === '') return [];
    if (isUrl(value) && /^https?:$/.test(new URL(value).protocol)) return [new URL(value)];
    throw new TenonError('invalid-argument', `${name} is not the URL of an HTTP proxy.`, {
      hint: `Write it in full, as in ${name}=http://proxy.example:8080, or unset it.`,
    });
  });
}

interface ConnectError {
  readonly code?: string;
  readonly address?: string;
  readonly hostname?: string;
  readonly port?: number;
  readonly errors?: readonly ConnectError[];
  readonly cause?: ConnectError;
}

/** The error to report: failing to reach the proxy is not failing to reach the server. */
export function proxyFailure(proxies: readonly URL[], error: unknown): unknown {
  const failed = proxies.find((proxy) => isAt(proxy, error as ConnectError));
  if (failed === undefined) return error;
  const { code } = rootOf(error as ConnectError);
  return new Error(`The proxy ${failed.origin} cannot be reached${code === undefined ? '' : ` (${code})`}.`);
}

const rootOf = (error: ConnectError): ConnectError => {
  const inner = error.errors?.[0] ?? error.cause;
  return inner === undefined ? error : rootOf(inner);
};

function isAt(proxy: URL, error: ConnectError): boolean {
  const { address, hostname, port } = rootOf(error);
  if (hostname !== undefined) return hostname === proxy.hostname;
  const isSameHost = !/^[\d.]+$|^\[/.test(proxy.hostname) || proxy.hostname.replace(/[[\]]/g, '') === address;
  return isSameHost && port === portOf(proxy);
}

const portOf = ({ port, protocol }: URL): number => (port === '' ? (protocol === 'https:' ? 443 : 80) : Number(port));
