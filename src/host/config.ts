/** Reads the servers of a host from the configuration that hosts have in common, `mcpServers`. */
import type { Acceptor } from '../client/connect.ts';
import type { HttpTarget } from '../client/http/target.ts';
import { TenonError } from '../jsonrpc/errors.ts';
import { isRecord } from '../protocol/model/primitives.ts';
import type { Fields } from '../protocol/neutral.ts';
import { type Environment, expand } from './expansion.ts';

/** A server that is started as a process. */
export interface CommandEntry {
  readonly command: string;
  readonly args?: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
  readonly cwd?: string;
  readonly type?: string;
  readonly disabled?: boolean;
}

/** A server that is reached by its address. Which transport it has is found out, whatever `type` says. */
export interface UrlEntry {
  readonly url: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly type?: string;
  readonly disabled?: boolean;
}

/** An entry of the configuration, or a server in this process. */
export type ServerEntry = CommandEntry | UrlEntry | Acceptor;

/** A configuration file as it is, or the record of servers in it. Fields that nobody here knows are ignored. */
export type HostConfig =
  | { readonly mcpServers: Readonly<Record<string, ServerEntry>> }
  | Readonly<Record<string, ServerEntry>>;

export type CommandTarget = Pick<CommandEntry, 'command' | 'args' | 'env' | 'cwd'>;
export type HostTarget = CommandTarget | HttpTarget | Acceptor;

/** A server by its name, with what to connect to, or why it cannot be: a variable is missing. */
export interface Seat {
  readonly server: string;
  readonly target: HostTarget | TenonError;
}

const types: Readonly<Record<'command' | 'url', readonly string[]>> = {
  command: ['stdio'],
  url: ['http', 'sse', 'streamable-http', 'streamableHttp', 'streamable_http'],
};
const longestName = 200;

/** All servers that are not disabled. What is written wrongly is refused, all of it at once. */
export function readServers(config: unknown, env: Environment): Seat[] {
  const { entries, place } = entriesOf(config);
  const problems: string[] = [];
  const seats: Seat[] = [];
  for (const [server, entry] of Object.entries(entries)) {
    const at = `${place}.${server}`;
    const found = [...nameProblems(server, at), ...entryProblems(entry, at)];
    problems.push(...found);
    if (found.length > 0 || (entry as Fields).disabled === true) continue;
    seats.push({ server, target: targetOf(entry as ServerEntry, at, env) });
  }
  if (problems.length === 0) return seats;
  throw new TenonError('invalid-argument', `createHost(): ${problems.join(' ')}`, { details: { problems } });
}

function entriesOf(config: unknown): { entries: Fields; place: string } {
  if (!isRecord(config)) throw shapeless();
  const inner = config.mcpServers;
  // A server can have any name, this one too.
  if (inner === undefined || isEntry(inner)) return { entries: config, place: 'servers' };
  if (!isRecord(inner)) throw shapeless();
  return { entries: inner, place: 'mcpServers' };
}

const isEntry = (value: unknown): boolean =>
  isRecord(value) && (typeof value.command === 'string' || typeof value.url === 'string' || isAcceptor(value));

const isAcceptor = (value: unknown): value is Acceptor => typeof (value as Fields | null)?.accept === 'function';

const shapeless = (): TenonError =>
  new TenonError('invalid-argument', 'createHost(): servers is no configuration.', {
    hint: "Write servers: { mcpServers: { files: { command: 'npx', args: ['…'] } } }, or the inner record alone.",
  });

function nameProblems(server: string, at: string): string[] {
  if (server !== '' && server.length <= longestName && !/\p{Surrogate}/u.test(server)) return [];
  return [`${at} is no name for a server: use 1 to ${longestName} characters.`];
}

/** What is wrong with an entry, each with its place and the mend. Values are not told: they may be secrets. */
function entryProblems(entry: unknown, at: string): string[] {
  if (isAcceptor(entry)) return [];
  if (!isRecord(entry)) return [`${at} is no server: write { command, args } or { url }.`];
  const { command, url, type, disabled } = entry;
  const problems: string[] = [];
  const hold = (holds: boolean, problem: string): void => void (holds || problems.push(problem));
  hold(isOptional(disabled, 'boolean'), `${at}.disabled has to be true or false.`);
  if ((command === undefined) === (url === undefined)) {
    const has = command === undefined ? 'neither a command nor a url' : 'both a command and a url';
    return [...problems, `${at} has ${has}: write one of them.`];
  }
  const known = types[command === undefined ? 'url' : 'command'];
  hold(type === undefined || known.includes(type as string), `${at}.type has to be ${known.join(', ')}, or left out.`);
  if (command === undefined) {
    hold(isText(url), `${at}.url has to be an address, such as 'https://example.com/mcp'.`);
    hold(isTexts(entry.headers), `${at}.headers has to be a table of texts.`);
    return problems;
  }
  hold(isText(command), `${at}.command has to be the name of a program.`);
  hold(isTextList(entry.args), `${at}.args has to be a list of texts.`);
  hold(isTexts(entry.env), `${at}.env has to be a table of texts: put numbers in quotes.`);
  hold(isOptional(entry.cwd, 'string'), `${at}.cwd has to be the path of a folder.`);
  return problems;
}

const isText = (value: unknown): boolean => typeof value === 'string' && value !== '';
const isOptional = (value: unknown, type: 'string' | 'boolean'): boolean =>
  value === undefined || typeof value === type;
const isTextList = (value: unknown): boolean =>
  value === undefined || (Array.isArray(value) && value.every((one) => typeof one === 'string'));
const isTexts = (value: unknown): boolean =>
  value === undefined || (isRecord(value) && Object.values(value).every((one) => typeof one === 'string'));

/** One server whose variable is missing keeps no other from being used. */
function targetOf(entry: ServerEntry, at: string, env: Environment): HostTarget | TenonError {
  if (isAcceptor(entry)) return entry;
  try {
    return 'command' in entry ? commandOf(entry, at, env) : addressOf(entry, at, env);
  } catch (error) {
    if (error instanceof TenonError) return error;
    throw error;
  }
}

const commandOf = ({ command, args, env, cwd }: CommandEntry, at: string, given: Environment): CommandTarget => ({
  command: expand(command, `${at}.command`, given),
  ...(args && { args: args.map((text, n) => expand(text, `${at}.args[${n}]`, given)) }),
  ...(env && { env: expandAll(env, `${at}.env`, given) }),
  ...(cwd !== undefined && { cwd: expand(cwd, `${at}.cwd`, given) }),
});

const addressOf = ({ url, headers }: UrlEntry, at: string, given: Environment): HttpTarget => ({
  url: expand(url, `${at}.url`, given),
  ...(headers && { headers: expandAll(headers, `${at}.headers`, given) }),
});

const expandAll = (texts: Readonly<Record<string, string>>, at: string, env: Environment): Record<string, string> =>
  Object.fromEntries(Object.entries(texts).map(([name, text]) => [name, expand(text, `${at}.${name}`, env)]));
