/** What a message is about, as the beginning of one line: arguments, texts of a result, names of a list, an error. */
import type { Fields } from '../../lib/values/is.ts';
import { isRecord } from '../../lib/values/is.ts';
import { fields, type MessagePart, targetOf } from '../../protocol/history/message-parts.ts';

/** At most about `room` characters: a large message costs no more than a small one. */
export function contentOf(parts: readonly MessagePart[], room: number): string {
  const [first] = parts;
  if (parts.length !== 1 || first === undefined) return `${parts.length} messages`;
  switch (first.type) {
    case 'request':
    case 'notification':
      return ofParams(first.method, first.params, room);
    case 'response':
      return ofResult(first.result, room);
    case 'error':
      return ofError(first.error, room);
    case 'invalid':
      return '';
  }
}

/** Without what the other columns have: the method, and the tool, prompt, task or URI. What is for people comes first. */
function ofParams(method: string, params: Fields, room: number): string {
  const { _meta, ref: _ref, ...rest } = params;
  if (method === 'notifications/progress') return ofProgress(rest, room);
  if (method === 'notifications/message') return joinedTexts([rest.logger, rest.data], room);
  if (Array.isArray(rest.messages)) return textsOf(blocksOf(rest.messages), room) || beginning(rest, room);
  const { message, ...asked } = rest;
  if (typeof message === 'string') return joinedTexts([message, isEmpty(asked) ? '' : asked], room);
  const target = targetOf(params);
  const others = Object.entries(rest).filter(([name, value]) => !targetNames.has(name) || value !== target);
  const [only] = others;
  if (only === undefined) return '';
  // Of most calls, only the arguments.
  return others.length === 1 ? beginning(only[1], room) : beginning(Object.fromEntries(others), room);
}

const isEmpty = (value: object): boolean => Object.keys(value).length === 0;

const ofProgress = ({ progress, total, message }: Fields, room: number): string =>
  joinedTexts([total === undefined ? progress : `${progress}/${total}`, message], room);

const targetNames: ReadonlySet<string> = new Set(['name', 'uri', 'taskId', 'level']);

function ofResult(result: Fields, room: number): string {
  const { _meta, resultType: _type, ...rest } = result;
  const { content, contents, messages, structuredContent, inputRequests, isError: _error } = rest;
  if (isRecord(inputRequests)) return requestsOf(inputRequests, room) || beginning(rest, room);
  if (Array.isArray(messages)) return textsOf(blocksOf(messages), room) || beginning(rest, room);
  if (isRecord(content)) return textsOf([content], room) || beginning(rest, room);
  if (Array.isArray(content)) return textsOf(content, room) || beginning(structuredContent ?? content, room);
  if (Array.isArray(contents)) return textsOf(contents, room) || beginning(contents, room);
  const [list, ...others] = Object.entries(rest).filter(([, value]) => Array.isArray(value));
  if (list === undefined || others.length > 0) return beginning(rest, room);
  return namesOf(...(list as [string, readonly unknown[]]), room) ?? beginning(rest, room);
}

/** What a server asks for, one request after another. */
function requestsOf(requests: Fields, room: number): string {
  let text = '';
  for (const name of Object.keys(requests)) {
    if (text.length >= room) break;
    const { method, params } = fields(requests[name]);
    if (typeof method !== 'string') return '';
    text += `${text === '' ? '' : ' '}${method} ${ofParams(method, fields(params), room)}`;
  }
  return text;
}

/** The content blocks of messages of a model or a prompt: each message has one or several. */
function* blocksOf(messages: readonly unknown[]): Generator<unknown> {
  for (const message of messages) {
    const { content } = fields(message);
    if (Array.isArray(content)) yield* content;
    else yield content;
  }
}

/** The texts of content blocks, one after another. */
function textsOf(blocks: Iterable<unknown>, room: number): string {
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

const ofError = ({ code, message, data }: Fields, room: number): string => joinedTexts([code, message, data], room);

/** Texts as they are, and other values as JSON. */
const joinedTexts = (values: readonly unknown[], room: number): string =>
  values
    .filter((value) => value !== undefined && value !== '')
    .map((value) => (typeof value === 'string' ? value.slice(0, room) : beginning(value, room)))
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
