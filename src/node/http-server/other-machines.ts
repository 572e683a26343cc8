/** What `serveHttp` requires where other machines can connect: authentication, and TLS or a warning. */
import { TenonError } from '../../lib/errors/tenon-error.ts';
import { isLoopback } from './address.ts';

/** The options that decide. */
export interface ReachOptions {
  readonly host?: string;
  readonly tls?: object;
  readonly authenticate?: unknown;
  readonly unprotected?: boolean;
  readonly behindProxy?: boolean;
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

/** Warns, once for each service, if other machines connect without TLS. Where no one listens to warnings, the console gets it. */
export function warnOfPlainHttp(options: ReachOptions, warn: (error: TenonError) => void): void {
  const { host, tls, behindProxy, logger, onWarning } = options;
  if (host === undefined || isLoopback(host) || tls !== undefined || behindProxy === true) return;
  const text = `Other machines can connect at host '${host}' without TLS: others on the network can read and change messages.`;
  const hint = 'Set tls. If a proxy in front of the server has TLS, set behindProxy: true.';
  warn(new TenonError('not-encrypted', text, { hint, details: { host } }));
  if (logger === undefined && onWarning === undefined) console.warn(`tenon: ${text} ${hint}`);
}
