/** The servers that configuration files name. Reading them starts nothing. */
import { readFile } from 'node:fs/promises';
import { type ParseError, parse, printParseErrorCode } from 'jsonc-parser';
import { type ConfiguredServer, readServers } from '../../host/servers/config.ts';
import { readVariables } from '../../host/servers/variables.ts';
import { isRecord } from '../../protocol/model/primitives.ts';
import type { Io } from '../io/io.ts';
import { usageError } from '../usage-error.ts';
import { type ConfigFile, configFiles } from './config-files.ts';

/** A server that a file names. */
export interface FoundServer extends ConfiguredServer {
  readonly file: ConfigFile;
}

/** The most characters of a configuration file. */
const maxChars = 4 * 1024 * 1024;

/** All servers of all files; a file that cannot be read is reported and skipped. */
export async function configuredServers(io: Io, only?: string): Promise<FoundServer[]> {
  const files: ConfigFile[] =
    only === undefined ? configFiles(io) : [{ client: 'project', scope: 'project', path: only, field: 'mcpServers' }];
  const found: FoundServer[] = [];
  for (const file of files) {
    const text = await textOf(file.path, only !== undefined);
    if (text !== undefined) found.push(...serversIn(text, file, io));
  }
  return found;
}

async function textOf(path: string, mustExist: boolean): Promise<string | undefined> {
  try {
    return await readFile(path, 'utf8');
  } catch (error) {
    if (mustExist) throw usageError(`${path} cannot be read.`, 'Pass the path of a configuration file.');
    return (error as NodeJS.ErrnoException).code === 'ENOENT' ? undefined : '';
  }
}

function serversIn(text: string, file: ConfigFile, io: Io): FoundServer[] {
  const errors: ParseError[] = [];
  const config: unknown = text.length > maxChars ? undefined : parse(text, errors, { allowTrailingComma: true });
  const [error] = errors;
  if (error !== undefined || !isRecord(config)) {
    const problem = error === undefined ? 'is not an object' : printParseErrorCode(error.error);
    if (text !== '') io.err(`tenon: ${file.path} is skipped: ${problem}.\n`);
    return [];
  }
  const servers = serversField(config, file, io.cwd);
  if (servers === undefined) return [];
  const read = readServers({ mcpServers: servers }, readVariables({ env: io.env }, io.env));
  for (const { text: problem } of read.problems) io.err(`tenon: ${file.path}: ${problem}\n`);
  return read.servers.map((server) => ({ ...server, file }));
}

/** Claude Code has servers for all projects, and for each one. */
function serversField(config: Record<string, unknown>, { field, client }: ConfigFile, cwd: string): unknown {
  const named = config[field] ?? (client === 'project' ? config.servers : undefined);
  const projects = isRecord(config.projects) ? config.projects[cwd] : undefined;
  const own = isRecord(projects) ? projects.mcpServers : undefined;
  if (!isRecord(named)) return isRecord(own) ? own : undefined;
  return isRecord(own) ? { ...named, ...own } : named;
}
