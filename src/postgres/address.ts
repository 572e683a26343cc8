/** The address of a PostgreSQL: a URL with the settings of TLS that libpq has. */
import { readFileSync } from 'node:fs';
import type { ConnectionOptions } from 'node:tls';
import { TenonError } from '../lib/errors/tenon-error.ts';

/** What a connection needs; the password is never part of an error. */
export interface Address {
  readonly host: string;
  readonly port: number;
  readonly user: string | undefined;
  readonly password: string | undefined;
  readonly database: string | undefined;
  readonly ssl: ConnectionOptions | false;
  /** Host and port, for errors. */
  readonly shown: string;
}

const known = new Set(['host', 'port', 'user', 'password', 'sslmode', 'sslrootcert', 'sslcert', 'sslkey']);

/** Throws `invalid-argument`, without the URL, for one that is wrong or has a parameter that would be ignored. */
export function readAddress(text: string): Address {
  const url = parsed(text);
  if (url === undefined) throw wrong('the address is not a URL of PostgreSQL');
  // Else the start of a password would be taken for a port, and shown.
  if (url.hash !== '' || (url.username === '' && /@/.test(url.pathname + url.search) && url.port !== ''))
    throw wrong('the URL has #, ? or / in its user or password: write %23, %3F or %2F');
  const given = url.searchParams;
  for (const name of given.keys())
    if (!known.has(name)) throw wrong(`the URL has the parameter ${JSON.stringify(name)}, which is unknown`);
  const host = given.get('host') ?? (decoded(url.hostname) || 'localhost');
  const port = Number((given.get('port') ?? url.port) || 5432);
  if (!Number.isInteger(port) || port < 1 || port > 65_535) throw wrong('the port is no number from 1 to 65535');
  return {
    host: host.replace(/^\[(.+)\]$/, '$1'),
    port,
    user: given.get('user') ?? (decoded(url.username) || undefined),
    password: given.get('password') ?? (decoded(url.password) || undefined),
    database: decoded(url.pathname.slice(1)) || undefined,
    ssl: tlsOf(given),
    shown: `${host}:${port}`,
  };
}

function parsed(text: unknown): URL | undefined {
  if (typeof text !== 'string' || !/^postgres(?:ql)?:\/\//i.test(text)) return undefined;
  // A socket of this machine is a parameter, and the host empty: URL accepts that only without a user.
  const url = text.replace(/^(\w+:\/\/[^/?#]*@)(?=[/?#]|$)/, '$1localhost');
  if (!URL.canParse(url)) return undefined;
  try {
    const { hostname, username, password, pathname } = new URL(url);
    for (const part of [hostname, username, password, pathname]) decoded(part);
    return new URL(url);
  } catch {
    return undefined;
  }
}

const decoded = (part: string): string => decodeURIComponent(part);

/** As libpq: `require` encrypts without verifying the server, `verify-ca` verifies its certificate, `verify-full` also its name. */
function tlsOf(given: URLSearchParams): ConnectionOptions | false {
  const mode = given.get('sslmode') ?? 'disable';
  if (mode === 'disable') return false;
  if (!['require', 'verify-ca', 'verify-full'].includes(mode))
    throw wrong(`sslmode=${mode} may send everything without encryption, or is unknown`);
  const file = (name: string): Buffer | undefined => {
    const path = given.get(name);
    if (path === null) return undefined;
    try {
      return readFileSync(path);
    } catch (cause) {
      throw wrong(`the file of ${name} cannot be read`, cause);
    }
  };
  const files = { ca: file('sslrootcert'), cert: file('sslcert'), key: file('sslkey') };
  return {
    ...Object.fromEntries(Object.entries(files).filter(([, contents]) => contents !== undefined)),
    rejectUnauthorized: mode !== 'require',
    ...(mode === 'verify-ca' && { checkServerIdentity: () => undefined }),
  };
}

/** Without the URL, which may contain a password. */
const wrong = (what: string, cause?: unknown): TenonError =>
  new TenonError('invalid-argument', `openPostgresStore(): ${what}.`, {
    hint: 'Pass a URL such as postgres://user:password@localhost:5432/database, with ?sslmode=require, verify-ca or verify-full for TLS.',
    details: { place: 'url' },
    ...(cause !== undefined && { cause }),
  });
