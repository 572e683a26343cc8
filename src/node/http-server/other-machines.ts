/** What `serveHttp` requires where other machines can connect: authentication, TLS or a warning, and the addresses of clients. */
import { TenonError } from '../../lib/errors/tenon-error.ts';
import { isLoopback } from './address.ts';

/** The options that decide. */
export interface ReachOptions {
  readonly host?: string;
  readonly tls?: object;
  readonly authenticate?: { readonly routes?: unknown };
  readonly unprotected?: boolean;
  readonly behindProxy?: boolean;
  readonly trustedProxies?: unknown;
  readonly logger?: unknown;
  readonly onWarning?: unknown;
}

/** Throws `invalid-argument` if everyone who can connect could use the server, unless that is set explicitly. */
export function checkProtection({ host, authenticate, unprotected }: ReachOptions): void {
  if (host === undefined || isLoopback(host) || authenticate !== undefined || unprotected === true) return;
  const text = `serveHttp(): other machines can connect at host '${host}', and the option authenticate is not set.`;
  throw new TenonError('invalid-argument', text, {
    hint: 'Set authenticate. If everyone who can connect may use the server, set unprotected: true.',
    details: { place: 'authenticate' },
  });
}

/**
 * Throws `invalid-argument` where the limits of an authorization server would count all its users as one: anyone could
 * then use them up for everyone.
 */
export function checkClientAddresses({ authenticate, behindProxy, trustedProxies }: ReachOptions): void {
  if (authenticate?.routes === undefined || behindProxy !== true || trustedProxies !== undefined) return;
  const text =
    'serveHttp(): behind a proxy, all users of the authorization server have one address and share its limits.';
  throw new TenonError('invalid-argument', text, {
    hint: "Set trustedProxies to the addresses of the proxy, such as ['10.0.0.0/8'], or to [] if connections come with those of users.",
    details: { place: 'trustedProxies' },
  });
}

/** Warns, once for each service, if other machines connect without TLS. Where no one listens to warnings, the console gets it. */
export function warnOfPlainHttp(options: ReachOptions, warn: (error: TenonError) => void): void {
  const { host, tls, behindProxy, logger, onWarning } = options;
  if (host === undefined || isLoopback(host) || tls !== undefined || behindProxy === true) return;
  const text = `Other machines can connect at host '${host}' without TLS: others on the network can read and change messages.`;
  const hint = 'Set tls. If a proxy in front of the server has TLS, set behindProxy: true.';
  warn(new TenonError('not-encrypted', text, { hint, details: { host } }));
  if (logger === undefined && onWarning === undefined) console.warn(`tenon: ${text} ${hint}`);
}
