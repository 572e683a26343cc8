/** The servers that configuration files name. Reading them starts nothing. */
import { createHash } from 'node:crypto';
import { constants } from 'node:fs';
import { open } from 'node:fs/promises';
import { visit } from 'jsonc-parser';
import { type ConfiguredServer, readServers } from '../../host/servers/config.ts';
import { readVariables, type VariableUse } from '../../host/servers/variables.ts';
import { canonicalJson } from '../../lib/text/canonical-json.ts';
import { isRecord } from '../../lib/values/is.ts';
import { readJsonWithComments, withoutByteOrderMark } from '../input/json-with-comments.ts';
import type { Io } from '../io/io.ts';
import { safeText } from '../output/style.ts';
import { usageError } from '../usage-error.ts';
import { type ConfigFile, configFiles } from './config-files.ts';

/** A server that a file names. */
export interface FoundServer extends ConfiguredServer {
  readonly file: ConfigFile;
  /** The variables of the environment in its target. Only of files that others can write: those of a project, and `--config`. */
  readonly variables: readonly VariableUse[];
  /** The SHA-256 of its file's path, its name and its entry. */
  readonly digest: string;
}

/**
 * Characters of a configuration file that is read.
 * @limit command line
 * @beyond it is skipped, with a warning
 */
const maxChars = 4 * 1024 * 1024;

/** All servers of all files; a file that cannot be read is reported and skipped. */
export async function configuredServers(io: Io, only?: string): Promise<FoundServer[]> {
  const files: ConfigFile[] =
    only === undefined ? configFiles(io) : [{ client: 'project', scope: 'project', path: only, field: 'mcpServers' }];
  const found: FoundServer[] = [];
  for (const file of files) {
    const text = await textOf(file.path, only !== undefined, io);
    if (text !== undefined) found.push(...serversIn(text, file, io));
  }
  return found;
}

/** A file may have the same server for all projects and for one. */
export function distinctServers(servers: readonly FoundServer[]): readonly FoundServer[] {
  const byTarget = new Map(servers.map((server) => [targetName(server), server]));
  return [...byTarget.values()];
}

/** What can be typed as a target, also where two clients have servers of one name. */
export const targetName = ({ server, file }: FoundServer): string => `${server}@${file.client}`;

async function textOf(path: string, mustExist: boolean, io: Io): Promise<string | undefined> {
  try {
    // A pipe would wait for its writer.
    const handle = await open(path, constants.O_RDONLY | (constants.O_NONBLOCK ?? 0));
    try {
      if (!(await handle.stat()).isFile()) throw new Error('It is not a file.');
      return withoutByteOrderMark(await handle.readFile('utf8'));
    } finally {
      await handle.close();
    }
  } catch (error) {
    if (mustExist) throw usageError(`${path} cannot be read.`, 'Pass the path of a configuration file.');
    const { code } = error as NodeJS.ErrnoException;
    if (code === undefined) io.err(`tenon: ${path} is skipped: it is not a file.\n`);
    return code === 'ENOENT' ? undefined : '';
  }
}

function serversIn(text: string, file: ConfigFile, io: Io): FoundServer[] {
  if (text === '') return [];
  const config = configIn(text);
  if (typeof config === 'string') {
    io.err(`tenon: ${file.path} is skipped: ${config}.\n`);
    return [];
  }
  const servers = serversField(config, file, io.cwd);
  if (servers === undefined) return [];
  const uses: VariableUse[] = [];
  // All are read here; `variable-consent.ts` decides whether the server gets them.
  const allowedVariables = (use: VariableUse): boolean => uses.push(use) > 0;
  const read = readServers({ mcpServers: servers }, readVariables({ env: io.env, allowedVariables }, io.env));
  for (const { text: problem } of read.problems) io.err(`tenon: ${file.path}: ${safeText(problem)}\n`);
  return read.servers.map((found) => {
    const variables = file.scope === 'user' ? [] : uses.filter(({ server }) => server === found.server);
    return { ...found, file, variables, digest: digestOf([file.path, found.server, servers[found.server]]) };
  });
}

const digestOf = (value: unknown): string => createHash('sha256').update(canonicalJson(value)).digest('hex');

/** What a file has, or why it is skipped. */
function configIn(text: string): Record<string, unknown> | string {
  if (text.length > maxChars) return `it has more than ${maxChars} characters`;
  if (isTooDeep(text)) return `it is nested deeper than ${maxLevels} levels`;
  const read = readJsonWithComments(text);
  if ('problem' in read) return `it is not JSON: ${read.problem}`;
  if (!isRecord(read.value)) return 'it is not an object';
  return wrongName(text) ?? read.value;
}

/** Levels of a configuration file: the parser calls itself for each. */
const maxLevels = 100;

/** Brackets in texts and comments count, too: no file has that many. */
function isTooDeep(text: string): boolean {
  let depth = 0;
  for (const bracket of text.matchAll(/[[\]{}]/g)) {
    depth += bracket[0] === '[' || bracket[0] === '{' ? 1 : depth > 0 ? -1 : 0;
    if (depth > maxLevels) return true;
  }
  return false;
}

/** A name that readers understand differently: `__proto__`, which would set a prototype, and one that is there twice. */
function wrongName(text: string): string | undefined {
  let found: string | undefined;
  const open: Set<string>[] = [];
  visit(text, {
    onObjectBegin: () => void open.push(new Set()),
    onObjectEnd: () => void open.pop(),
    onObjectProperty(name) {
      if (name === '__proto__') found ??= 'it has a field named __proto__. Give it another name';
      if (open.at(-1)?.has(name) === true)
        found ??= `it has the field ${JSON.stringify(name.slice(0, 100))} twice. Delete one of them`;
      open.at(-1)?.add(name);
    },
  });
  return found;
}

/** Claude Code has servers for all projects, and for each one. */
function serversField(
  config: Record<string, unknown>,
  { field, client }: ConfigFile,
  cwd: string,
): Record<string, unknown> | undefined {
  const named = config[field] ?? (client === 'project' ? config.servers : undefined);
  const projects = isRecord(config.projects) ? config.projects[cwd] : undefined;
  const own = isRecord(projects) ? projects.mcpServers : undefined;
  if (!isRecord(named)) return isRecord(own) ? own : undefined;
  return isRecord(own) ? { ...named, ...own } : named;
}
