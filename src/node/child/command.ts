/** A command to start: checks it, finds its program, and composes its environment. No shell is involved. */

import { asCommand } from '../../client/http/target-check.ts';
import { TenonError } from '../../lib/errors/tenon-error.ts';
import { optionError, problemsIn } from '../../lib/options/option-rules.ts';
import { isString } from '../../lib/values/is.ts';
import { fsModule, pathModule } from '../process/builtins.ts';
import { withoutSecrets } from './command-line.ts';
import { commandTarget } from './command-target.table.ts';
import type { CommandTarget } from './command-target.ts';
import { type Search, searchOnWindows } from './windows-programs.ts';

/** The variables that a program needs to run. Secrets of this process are not among them. */
const safeVariables: Readonly<Record<'windows' | 'others', readonly string[]>> = {
  windows: [
    'APPDATA',
    'COMSPEC',
    'HOMEDRIVE',
    'HOMEPATH',
    'LOCALAPPDATA',
    'NUMBER_OF_PROCESSORS',
    'OS',
    'PATH',
    'PATHEXT',
    'PROCESSOR_ARCHITECTURE',
    'PROGRAMDATA',
    'PROGRAMFILES',
    'SYSTEMDRIVE',
    'SYSTEMROOT',
    'TEMP',
    'TMP',
    'USERNAME',
    'USERPROFILE',
    'WINDIR',
  ],
  others: ['HOME', 'LANG', 'LC_ALL', 'LC_CTYPE', 'LOGNAME', 'PATH', 'SHELL', 'TERM', 'TMPDIR', 'TZ', 'USER'],
};

/** The safe variables of this process, and the variables of the command. */
export function environmentOf(
  { env = {} }: CommandTarget,
  platform = process.platform,
  own: NodeJS.ProcessEnv = process.env,
): Record<string, string> {
  const safe = safeVariables[isWindows(platform) ? 'windows' : 'others'];
  const merged: Record<string, string> = {};
  for (const name of Object.keys(own)) {
    const value = own[name];
    if (value !== undefined && safe.includes(isWindows(platform) ? name.toUpperCase() : name)) merged[name] = value;
  }
  for (const [name, value] of Object.entries(env)) {
    if (value === undefined) continue;
    // Windows knows one variable whatever the case of its name, and would keep the one of this process.
    if (isWindows(platform)) delete merged[Object.keys(merged).find((each) => isSameVariable(each, name)) ?? ''];
    merged[name] = value;
  }
  return merged;
}

const isSameVariable = (one: string, other: string): boolean => one.toUpperCase() === other.toUpperCase();

export const isWindows = (platform: NodeJS.Platform = process.platform): boolean => platform === 'win32';

/** Rejects a command that could not be started or would be misread, before a process starts. */
export function checkCommand(command: CommandTarget, platform = process.platform): void {
  const { args = [], env = {} } = command;
  const [first] = problemsIn('target.', { ...command }, commandTarget);
  if (first !== undefined) throw optionError('connect()', first);
  checkText('command', command.command, platform);
  args.forEach((text, n) => checkText(`args[${n}]`, text, platform));
  for (const [name, text] of Object.entries(env)) {
    if (!/^[^=\0]+$/.test(name))
      throw refused(
        `env has the invalid name ${JSON.stringify(name.replace(/=.*/s, '=…'))}.`,
        'Use a name without = and NUL.',
      );
    if (text !== undefined) checkText(`env.${name}`, text, platform);
  }
}

/** The error names the place and not the value, which may be a secret. */
function checkText(place: string, text: unknown, platform: NodeJS.Platform): void {
  if (!isString(text)) throw refused(`${place} must be a string.`, 'Put it in quotes.');
  if (text.includes('\0')) throw refused(`${place} contains a NUL character.`, 'Remove it.');
  if (isWindows(platform) && /[\r\n]/.test(text)) throw refused(`${place} contains a line break.`, 'Remove it.');
}

const refused = (problem: string, hint: string): TenonError =>
  new TenonError('invalid-argument', `connect(): ${problem}`, { hint });

/** The path of the program. Throws `command-not-found` with the places that were searched. */
export function findProgram(
  { command, cwd = process.cwd() }: CommandTarget,
  env: Readonly<Record<string, string>>,
): string {
  checkFolder(command, cwd);
  const search = isWindows() ? searchOnWindows : searchPath;
  const { places, found } = search(command, pathModule().resolve(cwd), env);
  if (found !== undefined) return found;
  throw notFound(command, places);
}

function checkFolder(command: string, cwd: string): void {
  const is = kindOf(cwd);
  if (is === 'folder') return;
  const problem = is === 'nothing' ? 'does not exist' : 'is not a folder';
  throw new TenonError('command-not-found', `The folder to start ${withoutSecrets(command)} in ${problem}: ${cwd}.`, {
    hint: 'Set "cwd" to an existing folder.',
    details: { cwd },
  });
}

function searchPath(command: string, cwd: string, env: Readonly<Record<string, string>>): Search {
  const places = placesOf(command, cwd, env);
  return { places, found: places.find(isProgram) };
}

/** A name with a separator is a path; any other is searched in each folder of PATH. */
function placesOf(command: string, cwd: string, env: Readonly<Record<string, string>>): string[] {
  const { delimiter, isAbsolute, join, resolve } = pathModule();
  if (isAbsolute(command)) return [command];
  if (command.includes('/')) return [resolve(cwd, command)];
  const folders = (env.PATH ?? '').split(delimiter).filter((folder) => folder !== '');
  return [...new Set(folders.map((folder) => join(resolve(cwd, folder), command)))];
}

function isProgram(path: string): boolean {
  const { accessSync, constants, statSync } = fsModule();
  try {
    accessSync(path, constants.X_OK);
    return statSync(path).isFile();
  } catch {
    return false;
  }
}

function kindOf(path: string): 'folder' | 'file' | 'nothing' {
  try {
    return fsModule().statSync(path).isDirectory() ? 'folder' : 'file';
  } catch {
    return 'nothing';
  }
}

/** `command` may be a whole line with secrets in it, which are then in the places as well. */
function notFound(command: string, searched: readonly string[]): TenonError {
  const shown = withoutSecrets(command);
  const shownPlace = (path: string): string => {
    if (shown === command) return path;
    return path.endsWith(command) ? `${path.slice(0, -command.length)}${shown}` : shown;
  };
  const unfit = searched.find((path) => kindOf(path) !== 'nothing');
  const places = searched.map(shownPlace);
  const looked = places.length === 0 ? 'PATH is empty' : `searched ${places.slice(0, 20).join(', ')}`;
  return new TenonError('command-not-found', `The command ${shown} was not found: ${looked}.`, {
    hint: unfit === undefined ? missingHint(shown) : unfitHint(shownPlace(unfit)),
    details: { command: shown, places },
  });
}

function missingHint(command: string): string {
  const suggestion = asCommand(command);
  return suggestion === undefined
    ? 'Install it, pass its full path, or set PATH in "env".'
    : `"command" is the name of a program without its arguments: write ${suggestion}.`;
}

const unfitHint = (path: string): string =>
  `${path} exists but is not an executable file: run chmod +x on it, or start it with its interpreter.`;
