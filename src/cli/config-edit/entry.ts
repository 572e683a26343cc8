/** What a configuration file has for a server, in the form that its client reads. */
import { existsSync } from 'node:fs';
import { isAbsolute, join, relative, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Fields } from '../../lib/values/is.ts';
import type { CommandTarget } from '../../node/child/command-target.ts';
import type { HttpTarget } from '../../node/connect.ts';
import type { Given } from '../io/given.ts';
import type { ConfigFile } from '../target/config-files.ts';
import { resolvedFrom } from '../target/import-module.ts';
import { isModule, pathOf } from '../target/module-target.ts';
import { packageRoot } from '../target/own-package.ts';
import { readTarget } from '../target/read-target.ts';
import { usageError } from '../usage-error.ts';

export async function entryFor(given: Given, file: ConfigFile): Promise<Fields> {
  const { target: typed, io } = given;
  if (typed !== undefined && isModule(typed)) return commandEntry(servedFile(typed, io.cwd, file), file);
  if (typed === undefined ? given.command === undefined : !/^https?:\/\//i.test(typed))
    throw usageError(
      typed === undefined ? 'No server was named.' : `${typed} is not a server that can be added.`,
      'Pass a URL, a file such as ./server.ts, or a command after --.',
    );
  const { target } = await readTarget(given);
  if ('url' in (target as object)) return urlEntry(target as HttpTarget, file);
  const { command, args = [], env, cwd } = target as CommandTarget;
  const paths = file.scope === 'project' ? args : args.map((arg) => inFull(arg, cwd ?? io.cwd));
  return commandEntry({ command, args: paths, env, cwd }, file);
}

type Command = Pick<CommandTarget, 'command' | 'args'> & {
  env?: CommandTarget['env'] | undefined;
  cwd?: string | undefined;
};

/** A file is served by this package: that of the project, else this one. */
function servedFile(typed: string, cwd: string, { scope }: ConfigFile): Command {
  const path = pathOf(typed, cwd);
  if (scope === 'project') return { command: 'npx', args: ['tenon', 'serve', relative(cwd, path)] };
  const own = resolvedFrom(path, 'tenon/package.json');
  const root = own === undefined ? packageRoot() : fileURLToPath(new URL('.', own));
  return { command: 'node', args: [join(root, 'dist/cli.js'), 'serve', path] };
}

/** A client starts the server in a folder of its own: paths that lead to a file here are written in full. */
function inFull(arg: string, cwd: string): string {
  const path = resolve(cwd, arg);
  return !isAbsolute(arg) && /[./]/.test(arg) && existsSync(path) ? path : arg;
}

function commandEntry({ command, args = [], env = {}, cwd }: Command, { field }: ConfigFile): Fields {
  return {
    // VS Code requires the type of each server.
    ...(field === 'servers' && { type: 'stdio' }),
    command,
    ...(args.length > 0 && { args }),
    ...(Object.keys(env).length > 0 && { env }),
    ...(cwd !== undefined && { cwd }),
  };
}

function urlEntry({ url, headers = {} }: HttpTarget, { client }: ConfigFile): Fields {
  const own = Object.keys(headers).length > 0 ? { headers } : {};
  switch (client) {
    case 'claude-desktop':
      throw usageError(
        'The configuration file of Claude Desktop has commands only.',
        'Add the URL in its settings, as a connector.',
      );
    case 'gemini':
      return { httpUrl: String(url), ...own };
    case 'cursor':
      return { url: String(url), ...own };
    default:
      return { type: 'http', url: String(url), ...own };
  }
}
