/** Connects to the target of a command. */
import type { Client } from '../../client/api/client.ts';
import type { ConnectOptions } from '../../client/api/options.ts';
import { messageWithoutHint, TenonError } from '../../lib/errors/tenon-error.ts';
import { connect, type Target } from '../../node/connect.ts';
import { type ClientDialect, type CompatOptions, clientDialects } from '../../protocol/dialects/compat-options.ts';
import { type ProtocolVersion, protocolVersions } from '../../protocol/revisions/revisions.ts';
import type { Given } from '../io/given.ts';
import type { Io } from '../io/io.ts';
import { withSpinner } from '../output/progress.ts';
import { safeText } from '../output/style.ts';
import { terminalHandlers } from '../terminal/handlers.ts';
import { usageError } from '../usage-error.ts';
import { isPendingSignIn } from './pending-sign-in.ts';
import { readCompat } from './read-compat.ts';
import { readTarget, shownUrl, userInfo } from './read-target.ts';
import { storedAuth } from './stored-auth.ts';

/** The values of `--protocol-version`, `--timeout`, `--strict` and `--compat`. */
interface ConnectionLimits {
  readonly protocolVersion?: ProtocolVersion;
  readonly timeoutMs?: number;
  readonly strict?: boolean;
  readonly compat?: CompatOptions<ClientDialect>;
}

/** A server at a URL, as it can be stored: it runs independently of this process. */
export interface UrlTarget extends ConnectionLimits {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
}

export interface ReadConnection extends ConnectionLimits {
  readonly target: Target;
  /** How the target is shown to the user. */
  readonly shown: string;
}

/** Runs with a client that is closed afterwards, whatever happens. */
export async function withClient<T>(
  given: Given,
  run: (client: Client) => Promise<T>,
  more: ConnectOptions = {},
  typed = given.target,
): Promise<T> {
  if (given.client !== undefined) return run(given.client);
  return usingClient(given.io, await readConnection(given, typed), run, more);
}

/** The target that was typed, and the options of its connection. */
export async function readConnection(given: Given, typed = given.target): Promise<ReadConnection> {
  const { target, shown } = await readTarget(given, typed);
  const protocolVersion = revisionOf(given);
  const seconds = given.number('timeout');
  const compat = readCompat(given.texts('compat'), clientDialects);
  // The option of `diff` is about its exit code.
  const strict = given.flag('strict') && given.typed[0] !== 'diff';
  return {
    target,
    shown,
    ...(strict && { strict }),
    ...(compat && { compat }),
    ...(protocolVersion !== undefined && { protocolVersion }),
    ...(seconds !== undefined && { timeoutMs: seconds * 1000 }),
  };
}

/** As `withClient`, with a target that was read already. */
export async function usingClient<T>(
  io: Io,
  { target, shown, protocolVersion, timeoutMs, strict, compat }: ReadConnection,
  run: (client: Client) => Promise<T>,
  more: ConnectOptions = {},
): Promise<T> {
  const authorized = withStoredAuth(target, io, timeoutMs);
  const options: ConnectOptions = {
    // A server at a URL may restart while a task is followed. A command that has exited is not started again.
    reconnect: typeof target === 'object' && 'url' in target,
    signal: io.signal,
    onWarning: (error) => io.err(`tenon: ${safeText(error.message)}\n`),
    ...(io.canAsk && { handlers: terminalHandlers(io, shown) }),
    ...(protocolVersion !== undefined && { protocolVersions: [protocolVersion] }),
    ...(timeoutMs !== undefined && { timeoutMs }),
    ...(strict !== undefined && { strict }),
    ...(compat && { compat }),
    ...more,
  };
  const connecting = (): Promise<Client> => connect(authorized, options);
  const client = await withSpinner(io, `connecting to ${shown}`, connecting).catch((error: unknown) => {
    throw target !== authorized && isSignInError(error) ? signInAdvised(error, shown) : error;
  });
  try {
    return await run(client);
  } finally {
    await client.close({ timeoutMs: 1000 });
  }
}

/** The same error with a hint for the command line instead of the one for programs. */
function signInAdvised(error: TenonError, shown: string): TenonError {
  const { wwwAuthenticate: challenge } = (error.details ?? {}) as { readonly wwwAuthenticate?: unknown };
  const login = `Sign in with: tenon login ${shown}`;
  // Without metadata of an authorization server there may be nothing to sign in at.
  const isBare = error.code === 'unauthorized' && !/\bresource_metadata=/i.test(String(challenge));
  const hint = isBare ? `${login}, or pass a key: --header "Authorization: Bearer KEY"` : login;
  const message = error.code === 'sign-in-required' ? `${shown} needs a person to sign in.` : messageWithoutHint(error);
  const advised = new TenonError(error.code, message, { hint, details: error.details, cause: error });
  return error.step === undefined ? advised : Object.assign(advised, { step: error.step });
}

const isSignInError = (error: unknown): error is TenonError =>
  error instanceof TenonError &&
  (error.code === 'unauthorized' || error.code === 'sign-in-required') &&
  !isPendingSignIn(error);

/** Adds stored credentials, unless the target has credentials of its own. */
export function withStoredAuth(target: Target, io: Io, timeoutMs?: number): Target {
  if (typeof target !== 'object' || !('url' in target) || 'auth' in target) return target;
  const names = Object.keys(target.headers ?? {}).map((name) => name.toLowerCase());
  const hasOwn = names.includes('authorization') || userInfo.test(String(target.url));
  return hasOwn ? target : { ...target, auth: storedAuth(io, timeoutMs) };
}

/** The target as it can be stored; undefined for a server that this process starts. */
export function urlTargetOf({
  target,
  protocolVersion,
  timeoutMs,
  strict,
  compat,
}: ReadConnection): UrlTarget | undefined {
  if (typeof target !== 'object' || !('url' in target)) return undefined;
  return {
    url: String(target.url),
    headers: { ...(target.headers as Record<string, string>) },
    ...(protocolVersion !== undefined && { protocolVersion }),
    ...(timeoutMs !== undefined && { timeoutMs }),
    ...(strict !== undefined && { strict }),
    ...(compat && { compat }),
  };
}

/** The connection to a stored target. */
export const connectionTo = ({ url, headers, ...limits }: UrlTarget): ReadConnection => ({
  target: { url, headers },
  shown: shownUrl(url),
  ...limits,
});

function revisionOf(given: Given): ProtocolVersion | undefined {
  const text = given.text('protocol-version');
  if (text === undefined || (protocolVersions as readonly string[]).includes(text)) return text as ProtocolVersion;
  throw usageError(
    `--protocol-version cannot be ${JSON.stringify(text)}.`,
    `It can be ${protocolVersions.join(', ')}.`,
  );
}
