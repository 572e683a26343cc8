/** The credentials of a server of a host: passed by the program, or created from the section `auth` of its configuration. */
import type { ClientAuth } from '../../client/http/port/client-auth.ts';
import { TenonError, type TenonErrorOptions } from '../../lib/errors/tenon-error.ts';
import { has, type Problem } from '../../lib/options/option-rules.ts';
import { shown } from '../../lib/text/shown.ts';
import { isRecord } from '../../lib/values/is.ts';
import { runSafely } from '../../lib/values/run-safely.ts';

/** The section `auth` of a server in a configuration file. The host passes it to its option `auth`. */
export type AuthSection = Readonly<Record<string, unknown>>;

/**
 * Returns the credentials of a server at a URL, such as `oauth({ … })`; nothing for a server without any. `section` is
 * the section `auth` of its entry, if it has one, with its variables replaced.
 */
export type HostAuth = (server: string, section: AuthSection | undefined) => ClientAuth | undefined;

export const isClientAuth = (value: unknown): value is ClientAuth => has(value, 'forServer');

/** The problems of the section of an entry. */
export function authProblems(auth: unknown, at: string, hostAuth: HostAuth | undefined): Problem[] {
  if (auth === undefined || isClientAuth(auth)) return [];
  const place = `${at}.auth`;
  if (!isRecord(auth))
    return [{ place, text: `${place} is not valid.`, hint: `${place} must be an object, or what oauth() returns.` }];
  if (hostAuth !== undefined) return [];
  const hint = 'Pass auth to createHost(): auth: (server, section) => oauth(section).';
  return [{ place, text: `${place} is set, and the host has no option auth.`, hint }];
}

/** A program gets its credentials from its environment. */
export function commandAuthProblems(auth: unknown, at: string): Problem[] {
  if (auth === undefined) return [];
  const place = `${at}.auth`;
  const hint = `auth is for servers with a url. Pass a program its credentials in ${at}.env.`;
  return [{ place, text: `${place} is set for a server with a command.`, hint }];
}

/** Throws `callback-failed`, which is the error of this server alone. `expand` replaces the variables of one text. */
export function readAuth(
  auth: AuthSection | ClientAuth | undefined,
  server: string,
  hostAuth: HostAuth | undefined,
  expand: (text: string, path: string) => string,
): ClientAuth | undefined {
  if (isClientAuth(auth)) return auth;
  if (hostAuth === undefined) return undefined;
  const section = auth && (expandIn(auth, '', expand) as AuthSection);
  let found: unknown;
  try {
    found = hostAuth(server, section);
  } catch (cause) {
    throw cause instanceof TenonError ? cause : failed(server, 'threw', { hint: 'Its error is the cause.', cause });
  }
  if (found === undefined || isClientAuth(found)) return found;
  // It may be async, and its rejection would end the process.
  runSafely(() => found);
  throw failed(server, 'returned no credentials', { hint: 'Return what oauth() returns, not a promise.' });
}

const failed = (server: string, how: string, more: TenonErrorOptions): TenonError =>
  new TenonError('callback-failed', `auth of createHost() ${how} for the server ${shown(server)}.`, more);

function expandIn(value: unknown, path: string, expand: (text: string, path: string) => string): unknown {
  if (typeof value === 'string') return expand(value, path);
  if (Array.isArray(value)) return value.map((one, at) => expandIn(one, `${path}[${at}]`, expand));
  if (!isRecord(value)) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, one]) => [name, expandIn(one, `${path}.${name}`, expand)]),
  );
}
