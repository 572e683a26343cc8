/** What a message is about, as the beginning of one line: arguments, texts of a result, names of a list, an error. */
import type { Fields } from '../../lib/values/is.ts';
import { isRecord } from '../../lib/values/is.ts';
import { type MessagePart, targetOf } from '../../protocol/history/message-parts.ts';

/** At most about `room` characters: a large message costs no more than a small one. */
export function contentOf(parts: readonly MessagePart[], room: number): string {
  const [first] = parts;
  if (parts.length !== 1 || first === undefined) return `${parts.length} messages`;
  switch (first.type) {
    case 'request':
    case 'notification':
      return ofParams(first.params, room);
    case 'response':
      return ofResult(first.result, room);
    case 'error':
      return ofError(first.error, room);
    case 'invalid':
      return '';
  }
}

/** Without what the other columns have: the method, and the tool, prompt, task or URI. */
function ofParams(params: Fields, room: number): string {
  const { _meta, ...rest } = params;
  const target = targetOf(rest);
  const others = Object.entries(rest).filter(([name, value]) => !targetNames.has(name) || value !== target);
  const [only] = others;
  if (only === undefined) return '';
  // Of most calls, only the arguments.
  return others.length === 1 ? beginning(only[1], room) : beginning(Object.fromEntries(others), room);
}

const targetNames: ReadonlySet<string> = new Set(['name', 'uri', 'taskId', 'level']);

function ofResult(result: Fields, room: number): string {
  const { _meta, resultType: _type, ...rest } = result;
  const { content, contents, structuredContent, isError: _error } = rest;
  if (Array.isArray(content)) return textsOf(content, room) || beginning(structuredContent ?? content, room);
  if (Array.isArray(contents)) return textsOf(contents, room) || beginning(contents, room);
  const [list, ...others] = Object.entries(rest).filter(([, value]) => Array.isArray(value));
  if (list === undefined || others.length > 0) return beginning(rest, room);
  return namesOf(...(list as [string, readonly unknown[]]), room) ?? beginning(rest, room);
}

/** The texts of content blocks, one after another. */
function textsOf(blocks: readonly unknown[], room: number): string {
  let text = '';
  for (const block of blocks) {
    if (text.length >= room) break;
    if (isRecord(block) && typeof block.text === 'string')
      text += `${text === '' ? '' : ' '}${block.text.slice(0, room)}`;
  }
  return text;
}

/** How many a list has, and their names. */
function namesOf(key: string, items: readonly unknown[], room: number): string | undefined {
  let text = `${items.length} ${items.length === 1 ? key.replace(/s$/, '') : key}`;
  for (const [at, item] of items.entries()) {
    if (!isRecord(item)) return undefined;
    const name = item.name ?? item.uri ?? item.taskId;
    if (typeof name !== 'string') return undefined;
    text += `${at === 0 ? ': ' : ', '}${name.slice(0, room)}`;
    if (text.length >= room) break;
  }
  return text;
}

const ofError = ({ code, message, data }: Fields, room: number): string =>
  [
    code,
    typeof message === 'string' ? message.slice(0, room) : message,
    data === undefined ? '' : beginning(data, room),
  ]
    .filter((part) => part !== undefined && part !== '')
    .join(' ');

/** The beginning of a value as JSON. What is beyond the limit is not visited. */
function beginning(value: unknown, room: number): string {
  if (typeof value === 'string') return JSON.stringify(value.slice(0, room));
  if (Array.isArray(value)) return joined('[', ']', value, (item) => beginning(item, room), room);
  if (!isRecord(value)) return JSON.stringify(value) ?? '';
  const names = Object.keys(value);
  return joined('{', '}', names, (name) => `${JSON.stringify(name)}:${beginning(value[name], room)}`, room);
}

function joined<T>(open: string, close: string, parts: readonly T[], write: (part: T) => string, room: number): string {
  let text = open;
  for (const [at, part] of parts.entries()) {
    if (text.length >= room) return text;
    text += `${at === 0 ? '' : ','}${write(part)}`;
  }
  return text + close;
}
