/** Reads the servers of a host from the configuration that hosts have in common, `mcpServers`. */

import type { ServerLike } from '../../client/connect.ts';
import type { ClientAuth } from '../../client/http/port/client-auth.ts';
import type { HttpTarget } from '../../client/http/target.ts';
import { TenonError } from '../../lib/errors/tenon-error.ts';
import { flag, isTexts, type Problem, problemsIn, type Rule, type Rules } from '../../lib/options/option-rules.ts';
import { canonicalJson } from '../../lib/text/canonical-json.ts';
import { isUrl } from '../../lib/text/parse-url.ts';
import type { Fields } from '../../lib/values/is.ts';
import { isRecord } from '../../lib/values/is.ts';
import { type AuthSection, authProblems, commandAuthProblems, type HostAuth, readAuth } from './auth-section.ts';
import { expand, type TextPlace, type Variables } from './variables.ts';

/** A server that the host starts as a child process. */
export interface CommandServerConfig {
  /** The program. */
  readonly command: string;
  /** The arguments of the program. */
  readonly args?: readonly string[];
  /** Environment variables of the process. */
  readonly env?: Readonly<Record<string, string>>;
  /** The working directory. */
  readonly cwd?: string;
  /** `stdio`, if it is set. */
  readonly type?: string;
  /** Whether the host leaves this server out. Default `false`. */
  readonly disabled?: boolean;
}

/** A server at a URL. Its transport is detected; `type` is ignored. */
export interface UrlServerConfig {
  /** The URL of the endpoint. */
  readonly url: string;
  /** Headers of every request. */
  readonly headers?: Readonly<Record<string, string>>;
  /** Its credentials: what `oauth()` returns, or a section for the option `auth` of the host. */
  readonly auth?: ClientAuth | AuthSection;
  /** `http`, `sse` or `streamable-http`, if it is set. */
  readonly type?: string;
  /** Whether the host leaves this server out. Default `false`. */
  readonly disabled?: boolean;
}

/** Some hosts write `httpUrl` for a server with Streamable HTTP. */
type HttpUrlEntry = Omit<UrlServerConfig, 'url'> & { readonly httpUrl: string };

/** An entry of the configuration, or a server in this process. */
export type ServerConfig = CommandServerConfig | UrlServerConfig | HttpUrlEntry | ServerLike;

/** A configuration file as it is, or the record of servers in it. Unknown fields are ignored. */
export type HostConfig =
  | { readonly mcpServers: Readonly<Record<string, ServerConfig>> }
  | Readonly<Record<string, ServerConfig>>;

export type CommandOfConfig = Pick<CommandServerConfig, 'command' | 'args' | 'env' | 'cwd'>;
export type HostTarget = CommandOfConfig | HttpTarget | ServerLike;

/** Where a server comes from, as the configuration has it: variables are not replaced. Nothing for one in this process. */
export type ServerOrigin =
  | { readonly command: string; readonly args: readonly string[] }
  | { readonly url: string }
  | { readonly command?: never };

/** A server by its name, with its target, or the error of a missing variable. */
export interface ConfiguredServer {
  readonly server: string;
  readonly origin: ServerOrigin;
  readonly target: HostTarget | TenonError;
  /** What may decide about its lists, as text: the entry with its variables replaced, without `auth`. It may have secrets. */
  readonly resolved: string;
}

/**
 * Characters of the name of a server.
 * @limit host
 * @beyond `createHost` rejects the configuration
 * @code invalid-argument
 */
const longestName = 200;

/** All servers that are not disabled, and all problems. The host is created only without problems. */
export function readServers(
  config: unknown,
  variables: Variables,
  auth?: HostAuth,
): { servers: ConfiguredServer[]; problems: Problem[] } {
  const problems: Problem[] = [];
  const servers: ConfiguredServer[] = [];
  const { entries, place } = entriesOf(config);
  for (const [server, entry] of Object.entries(entries)) {
    const at = server === '' ? `${place}[""]` : `${place}.${server}`;
    const found = [...nameProblems(server, at), ...entryProblems(entry, at, auth)];
    problems.push(...found);
    if (found.length > 0 || (entry as Fields).disabled === true) continue;
    const origin = originOf(entry as ServerConfig);
    const target = targetOf(entry as ServerConfig, server, at, variables, auth);
    servers.push({ server, origin, target, resolved: resolvedText(target) });
  }
  return { servers, problems };
}

function originOf(entry: ServerConfig): ServerOrigin {
  if (isAcceptor(entry)) return {};
  if ('command' in entry) return { command: entry.command, args: entry.args ?? [] };
  return { url: 'url' in entry ? entry.url : entry.httpUrl };
}

/** Fields in one order: a file may be written in any. */
function resolvedText(target: HostTarget | TenonError): string {
  if (target instanceof TenonError || isAcceptor(target)) return '';
  const { auth: _, ...others } = target as Fields;
  return canonicalJson(others);
}

function entriesOf(config: unknown): { entries: Fields; place: string } {
  if (!isRecord(config)) throw noConfiguration();
  const inner = config.mcpServers;
  // A server may itself be named mcpServers.
  if (inner === undefined || isEntry(inner)) return { entries: config, place: 'servers' };
  if (!isRecord(inner)) throw noConfiguration();
  return { entries: inner, place: 'mcpServers' };
}

const isEntry = (value: unknown): boolean =>
  isRecord(value) &&
  (['command', 'url', 'httpUrl'].some((name) => typeof value[name] === 'string') || isAcceptor(value));

const isAcceptor = (value: unknown): value is ServerLike => typeof (value as Fields | null)?.accept === 'function';

const noConfiguration = (): TenonError =>
  new TenonError('invalid-argument', 'createHost(): servers is not a valid configuration.', {
    hint: "Write servers: { mcpServers: { files: { command: 'npx', args: ['…'] } } }, or the inner object alone.",
  });

function nameProblems(server: string, at: string): Problem[] {
  const problem =
    server === ''
      ? 'is empty'
      : server.length > longestName
        ? `has ${server.length} characters`
        : /\p{Surrogate}/u.test(server) && 'is not valid Unicode';
  const hint = `Use a name of 1 to ${longestName} characters.`;
  return problem === false ? [] : [{ place: at, text: `${at}: the name of a server ${problem}.`, hint }];
}

/** The problems of an entry, each with its place and a hint. Values are not shown: they may be secrets. */
function entryProblems(entry: unknown, at: string, auth: HostAuth | undefined): Problem[] {
  if (isAcceptor(entry)) return [];
  if (!isRecord(entry))
    return [{ place: at, text: `${at} is not valid.`, hint: 'Use an object such as { command, args } or { url }.' }];
  const { command, url, httpUrl } = entry;
  const targets = Object.entries({ command, url, httpUrl }).filter(([, value]) => value !== undefined);
  const [kind] = targets.map(([name]) => name);
  if (kind === undefined || targets.length > 1) {
    const has =
      kind === undefined ? 'neither a command nor a url' : `both a ${targets.map(([name]) => name).join(' and a ')}`;
    return [
      ...problemsIn(`${at}.`, { disabled: entry.disabled }, { disabled: flag }),
      { place: at, text: `${at} has ${has}.`, hint: 'Set one of them.' },
    ];
  }
  const rules = kind === 'command' ? commandRules : { ...addressRules, [kind]: address };
  const known = Object.entries(entry).filter(([name]) => Object.hasOwn(rules, name));
  const section = kind === 'command' ? commandAuthProblems(entry.auth, at) : authProblems(entry.auth, at, auth);
  return [...problemsIn(`${at}.`, Object.fromEntries(known), rules), ...section];
}

const isStringRecord = (value: unknown): boolean =>
  isRecord(value) && Object.values(value).every((one) => typeof one === 'string');

const oneOf = (types: readonly string[]): Rule => ({
  holds: (value) => types.includes(value as string),
  must: `be ${types.join(', ')}`,
});

/** A URL with a variable is checked when the server is used. */
const address: Rule = {
  holds: (value) =>
    typeof value === 'string' && (value.includes('${') || (isUrl(value) && /^https?:$/.test(new URL(value).protocol))),
  must: "be a URL in full, such as 'https://example.com/mcp'",
};

const addressRules: Rules = {
  disabled: flag,
  type: oneOf(['http', 'sse', 'streamable-http', 'streamableHttp', 'streamable_http']),
  headers: { holds: isStringRecord, must: 'be an object of strings' },
};

const commandRules: Rules = {
  disabled: flag,
  type: oneOf(['stdio']),
  command: { holds: (value) => typeof value === 'string' && value !== '', must: 'be the name of a program' },
  args: { holds: isTexts, must: 'be a list of strings' },
  env: { holds: isStringRecord, must: 'be an object of strings: put numbers in quotes' },
  cwd: { holds: (value) => typeof value === 'string', must: 'be the path of a folder' },
};

/** A missing variable of one server does not affect the others. */
function targetOf(
  entry: ServerConfig,
  server: string,
  at: string,
  variables: Variables,
  auth: HostAuth | undefined,
): HostTarget | TenonError {
  if (isAcceptor(entry)) return entry;
  const expandIn = (field: TextPlace['field'], text: string, place = `${at}.${field}`): string =>
    expand(text, { place, server, field }, variables);
  try {
    if ('command' in entry) return commandOf(entry, at, expandIn);
    const target = addressOf(entry, at, expandIn);
    const found = readAuth(entry.auth, server, auth, (text, path) => expandIn('auth', text, `${at}.auth${path}`));
    return found === undefined ? target : { ...target, auth: found };
  } catch (error) {
    if (error instanceof TenonError) return error;
    throw error;
  }
}

type ExpandIn = (field: TextPlace['field'], text: string, place?: string) => string;

const commandOf = (
  { command, args, env, cwd }: CommandServerConfig,
  at: string,
  expandIn: ExpandIn,
): CommandOfConfig => ({
  command: expandIn('command', command),
  ...(args && { args: args.map((text, n) => expandIn('args', text, `${at}.args[${n}]`)) }),
  ...(env && { env: expandAll('env', env, at, expandIn) }),
  ...(cwd !== undefined && { cwd: expandIn('cwd', cwd) }),
});

function addressOf(entry: UrlServerConfig | HttpUrlEntry, at: string, expandIn: ExpandIn): HttpTarget {
  const { headers } = entry;
  const [name, url] = 'url' in entry ? ['url', entry.url] : ['httpUrl', entry.httpUrl];
  return {
    url: expandIn('url', url, `${at}.${name}`),
    ...(headers && { headers: expandAll('headers', headers, at, expandIn) }),
  };
}

const expandAll = (
  field: 'env' | 'headers',
  texts: Readonly<Record<string, string>>,
  at: string,
  expandIn: ExpandIn,
): Record<string, string> =>
  Object.fromEntries(
    Object.entries(texts).map(([name, text]) => [name, expandIn(field, text, `${at}.${field}.${name}`)]),
  );
