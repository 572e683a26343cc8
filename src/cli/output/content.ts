/** Content of results, by kind: text as it is, tables of structured content, images and links described, blobs saved. */
import { resolve } from 'node:path';
import { escapeControls } from '../../lib/text/control-characters.ts';
import { readableJson } from '../../lib/text/readable-json.ts';
import type { Fields } from '../../lib/values/is.ts';
import { isRecord } from '../../lib/values/is.ts';
import type { Io } from '../io/io.ts';
import { saveFile } from './save-folder.ts';
import { textTable } from './table.ts';

/** Shows parts of a result one after the other. Saves what is not text to the folder, if there is one. */
export async function shownContent(parts: readonly object[], io: Io, folder: string | undefined): Promise<string> {
  const shown: string[] = [];
  for (const [index, part] of parts.entries()) shown.push(await shownPart(part as Fields, index + 1, io, folder));
  return shown.join('\n');
}

async function shownPart(part: Fields, number: number, io: Io, folder: string | undefined): Promise<string> {
  switch (part.type) {
    case 'text':
      return printable(String(part.text), io);
    case 'image':
    case 'audio':
      return binary(String(part.type), part.data, part.mimeType, number, io, folder);
    case 'resource_link':
      return `[link] ${printable(String(part.title ?? part.name), io)} ${printable(String(part.uri), io)}`;
    case 'resource':
      return isRecord(part.resource) ? shownResource(part.resource, number, io, folder) : '';
    default:
      return readableJson(part);
  }
}

/** The contents of a resource. */
export async function shownResource(
  contents: { readonly text?: unknown; readonly blob?: unknown; readonly mimeType?: unknown },
  number: number,
  io: Io,
  folder: string | undefined,
): Promise<string> {
  if (typeof contents.text === 'string') return printable(contents.text, io);
  return binary('blob', contents.blob, contents.mimeType, number, io, folder);
}

async function binary(
  kind: string,
  data: unknown,
  mimeType: unknown,
  number: number,
  { cwd }: Io,
  folder: string | undefined,
): Promise<string> {
  const bytes = Buffer.from(String(data), 'base64');
  const described = `[${kind}] ${mimeType ?? 'unknown type'}, ${bytes.length} bytes`;
  if (folder === undefined) return `${described} (save it with --save DIR)`;
  const path = await saveFile(resolve(cwd, folder), `${kind}-${number}.${extensionOf(String(mimeType ?? ''))}`, bytes);
  return `${described} in ${path}`;
}

/** Only letters and digits: the type is chosen by the server. */
const extensionOf = (mimeType: string): string =>
  /^[\w-]+\/(?:x-)?([a-z\d]{1,8})/i.exec(mimeType)?.[1]?.toLowerCase() ?? 'bin';

/** Rows of one kind have few names; a table of others has more cells than there are values. */
const maxTableNames = 100;
const maxCellsPerValue = 4;

/** A list of objects as a table, everything else as JSON. */
export function shownStructure(value: unknown, io: Io): string {
  const lists = isRecord(value) ? Object.values(value) : [value];
  const [only] = lists;
  if (lists.length === 1 && Array.isArray(only) && only.length > 0 && only.every(isFlat)) {
    const names = [...new Set(only.flatMap((row) => Object.keys(row)))];
    const values = only.reduce((sum, row) => sum + Object.keys(row).length, 0);
    if (names.length <= maxTableNames && names.length * only.length <= values * maxCellsPerValue) {
      const rows = only.map((row) => names.map((name) => printable(cellOf(row[name]), io)));
      return textTable([names, ...rows], io.columns);
    }
  }
  return readableJson(value);
}

const isFlat = (row: unknown): row is Fields =>
  isRecord(row) && Object.values(row).every((one) => typeof one !== 'object' || one === null);

const cellOf = (value: unknown): string => (value === undefined || value === null ? '' : String(value));

/** A server must not move the cursor of a terminal, or write to its title. */
export const printable = (text: string, { isTerminal }: Pick<Io, 'isTerminal'>): string =>
  isTerminal
    ? text
        .split(/([\n\t])/)
        .map(escapedBetween)
        .join('')
    : text;

/** Every second part is a line break or a tab. */
const escapedBetween = (text: string, index: number): string => (index % 2 === 0 ? escapeControls(text) : text);
