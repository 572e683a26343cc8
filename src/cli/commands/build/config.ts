/** `tenon config add|remove`: changes the servers of a client. Shows the change, asks, and keeps a copy of the file. */
import { resolve } from 'node:path';
import { shownChange, withoutServer, withServer } from '../../config-edit/edit.ts';
import { entryFor } from '../../config-edit/entry.ts';
import { replaceFile, textOf } from '../../config-edit/replace-file.ts';
import type { RunCommand } from '../../io/command.ts';
import type { Given } from '../../io/given.ts';
import type { Io } from '../../io/io.ts';
import { styleFor } from '../../output/style.ts';
import { type ConfigFile, configFiles } from '../../target/config-files.ts';
import { unknownName, usageError } from '../../usage-error.ts';

export const run: RunCommand = async (given) => {
  const [action = '', client = '', name = ''] = given.words;
  if (action !== 'add' && action !== 'remove')
    throw unknownName('action', action, ['add', 'remove'], 'Write config add or config remove.');
  // A server that is removed may have a name that another program wrote.
  if (action === 'add' && (!/^[\w.-]{1,64}$/.test(name) || name === '__proto__'))
    throw usageError(`${JSON.stringify(name)} cannot be the name of a server.`, 'Use letters, digits, dots, dashes.');
  const file = fileOf(given, client);
  const before = await textOf(file.path);
  const after =
    action === 'add' ? withServer(before, file, name, await entryFor(given, file)) : withoutServer(before, file, name);
  const done = { action, client, name, file: file.path };
  if (after === before)
    return { result: { ...done, changed: false }, text: `${file.path} has ${name} already, just as it would be.` };
  given.io.err(`${file.path}\n${colored(shownChange(before, after), given.io)}\n`);
  await confirmed(given);
  const backup = await replaceFile(file.path, before, after);
  const copy = backup === undefined ? '' : ` What it was is in ${backup}.`;
  return { result: { ...done, changed: true, backup }, text: `Wrote ${file.path}.${copy}` };
};

/** The file of the user, unless `--project` or `--config` is set. Not every client has both files. */
function fileOf(given: Given, client: string): ConfigFile {
  const files = configFiles(given.io);
  const own = files.filter((file) => file.client === client);
  if (own.length === 0) {
    const names = [...new Set(files.map((file) => file.client))];
    throw unknownName('client', client, names, `There are ${names.join(', ')}.`);
  }
  const scope = given.flag('project') || client === 'project' ? 'project' : 'user';
  const found = own.find((file) => file.scope === scope);
  const path = given.text('config');
  if (path !== undefined) return { ...(found ?? (own[0] as ConfigFile)), path: resolve(given.io.cwd, path) };
  if (found !== undefined) return found;
  throw usageError(
    `${client} has no file of a project that it alone reads.`,
    'Write project as the client: .mcp.json.',
  );
}

async function confirmed(given: Given): Promise<void> {
  if (given.flag('yes')) return;
  if (!given.io.canAsk) throw usageError('Nothing was written: no terminal to ask.', 'Add --yes to write it.');
  const { prompts, signal } = given.io;
  const isWritten = await prompts.confirm({ message: 'Write this?', initial: false, signal });
  if (!isWritten) throw usageError('Nothing was written.', 'Answer y, or add --yes.');
}

function colored(change: string, io: Io): string {
  const style = styleFor(io);
  const byMark: Readonly<Record<string, (line: string) => string>> = { '+': style.good, '-': style.bad };
  return change
    .split('\n')
    .map((line) => (byMark[line.slice(0, 1)] ?? ((same) => same))(line))
    .join('\n');
}
