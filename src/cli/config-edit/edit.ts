/** Changes one server in the text of a configuration file. Comments, order and indentation stay. */

import type { Fields } from '../../lib/values/is.ts';
import { isRecord } from '../../lib/values/is.ts';
import { afterByteOrderMark, readJsonWithComments, withoutByteOrderMark } from '../input/json-with-comments.ts';
import type { ConfigFile } from '../target/config-files.ts';
import { unknownName, usageError } from '../usage-error.ts';
import { withoutValue, withValue } from './json-text.ts';

/** The text with the server; the same text if it is there already. */
export function withServer(text: string, file: ConfigFile, name: string, entry: Fields): string {
  const servers = serversIn(text, file);
  if (JSON.stringify(servers[name]) === JSON.stringify(entry)) return text;
  return afterByteOrderMark(text, (rest) => withValue(rest.trim() === '' ? '{}\n' : rest, [file.field, name], entry));
}

export function withoutServer(text: string, file: ConfigFile, name: string): string {
  const servers = serversIn(text, file);
  if (!Object.hasOwn(servers, name))
    throw unknownName(
      `server in ${file.path} named`,
      name,
      Object.keys(servers),
      'See what tenon found: run it alone.',
    );
  return afterByteOrderMark(text, (rest) => withoutValue(rest, [file.field, name]));
}

/** The servers that the file has. What cannot be read is not changed. */
function serversIn(text: string, { path, field }: ConfigFile): Fields {
  // `trim` removes a byte order mark too.
  if (text.trim() === '') return {};
  const read = readJsonWithComments(withoutByteOrderMark(text));
  if ('problem' in read) throw usageError(`${path} is not JSON: ${read.problem}.`, 'Correct it first.');
  const servers = isRecord(read.value) ? (read.value[field] ?? {}) : undefined;
  if (isRecord(servers)) return servers;
  throw usageError(`${path} has no object ${field}.`, 'Correct it first.');
}

/** The lines that differ, with a line around them: `-` is removed, `+` added. */
export function shownChange(before: string, after: string): string {
  const [old, fresh] = [linesOf(before), linesOf(after)];
  let start = 0;
  while (start < old.length && start < fresh.length && old[start] === fresh[start]) start++;
  let end = 0;
  while (end < old.length - start && end < fresh.length - start && old.at(-1 - end) === fresh.at(-1 - end)) end++;
  return [
    ...old.slice(Math.max(0, start - 1), start).map((line) => `  ${line}`),
    ...old.slice(start, old.length - end).map((line) => `- ${line}`),
    ...fresh.slice(start, fresh.length - end).map((line) => `+ ${line}`),
    ...old
      .slice(old.length - end)
      .slice(0, 1)
      .map((line) => `  ${line}`),
  ].join('\n');
}

const linesOf = (text: string): string[] => (text === '' ? [] : text.replace(/\r?\n$/, '').split(/\r?\n/));
