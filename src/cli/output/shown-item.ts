/** One tool, prompt, resource or template for a person to read: what it is for, and its arguments as a table. */
import { planForm } from '../../json-schema/form-plan.ts';
import { isRecord } from '../../lib/values/is.ts';
import type { Io } from '../io/io.ts';
import { argumentRows, signatureOf } from './arguments.ts';
import { definitionList } from './definition-list.ts';
import { styleFor } from './style.ts';
import { oneLine } from './table.ts';
import { wrapped } from './wrapped.ts';

/** What the lists of servers have. All of it is the server's: any field may be missing. */
export interface Listed {
  readonly name: string;
  readonly title?: string;
  readonly description?: string;
  readonly uri?: string;
  readonly uriTemplate?: string;
  readonly mimeType?: string;
  readonly size?: number;
  readonly inputSchema?: unknown;
  readonly outputSchema?: unknown;
  readonly annotations?: object;
  readonly arguments?: readonly { readonly name: string; readonly description?: string; readonly required?: boolean }[];
}

/** With its arguments, for what has any. */
export function headOf(item: Listed): string {
  if (item.inputSchema !== undefined) return signatureOf(item.name, planForm(item.inputSchema));
  if (item.uri !== undefined || item.uriTemplate !== undefined) return oneLine(item.uri ?? item.uriTemplate ?? '');
  const names = (item.arguments ?? []).map(({ name, required }) => `${oneLine(name)}${required === true ? '' : '?'}`);
  return `${oneLine(item.name)}(${names.join(', ')})`;
}

export function shownItem(item: Listed, io: Pick<Io, 'columns' | 'hasColor'>): string {
  const style = styleFor(io);
  const { columns } = io;
  const title = item.title ?? annotatedTitle(item.annotations);
  const isResource = item.uri !== undefined || item.uriTemplate !== undefined;
  const facts = [
    ...(isResource ? [`name: ${oneLine(item.name)}`] : []),
    ...(item.mimeType === undefined ? [] : [`type: ${oneLine(item.mimeType)}`]),
    ...(item.size === undefined ? [] : [`${item.size} bytes`]),
    ...hintsOf(item.annotations),
  ];
  const parts = [
    [styledHead(wrapped(headOf(item), columns, '', '    '), oneLine(item.name), style.title)],
    title === undefined || title === item.name ? [] : [wrapped(title, columns)],
    item.description === undefined ? [] : [paragraphs(item.description, columns)],
    facts.length === 0 ? [] : [wrapped(facts.join(', '), columns)],
    table('Arguments', argumentsOf(item), columns, style.title),
    table(
      'Result',
      item.outputSchema === undefined ? [] : argumentRows(planForm(item.outputSchema)),
      columns,
      style.title,
    ),
  ];
  const shown = parts.filter((lines) => lines.length > 0).map((lines) => lines.join('\n'));
  return [...shown, style.dim('--json prints all that the server sends.')].join('\n\n');
}

/** The name is marked after wrapping: styles have no width. */
export const styledHead = (head: string, name: string, paint: (text: string) => string): string =>
  head.startsWith(name) ? paint(name) + head.slice(name.length) : head;

const paragraphs = (text: string, columns: number): string =>
  text
    .trim()
    .split(/\n\s*\n/)
    .map((one) => wrapped(one, columns))
    .join('\n\n');

function argumentsOf(item: Listed): ReturnType<typeof argumentRows> {
  if (item.inputSchema !== undefined) return argumentRows(planForm(item.inputSchema));
  const rows = item.arguments ?? [];
  return rows.map(({ name, required, description }) => [
    `${oneLine(name)}${required === true ? '' : '?'}`,
    oneLine(description ?? ''),
  ]);
}

const table = (
  title: string,
  rows: ReturnType<typeof argumentRows>,
  columns: number,
  paint: (text: string) => string,
): string[] => (rows.length === 0 ? [] : [paint(title), ...definitionList(rows, columns)]);

const hints: Readonly<Record<string, string>> = {
  readOnlyHint: 'changes nothing',
  destructiveHint: 'may delete or overwrite',
  idempotentHint: 'can be repeated',
  openWorldHint: 'reaches other systems',
};

/** Servers of older protocol versions have the title of a tool there. */
const annotatedTitle = (annotations: object | undefined): string | undefined =>
  isRecord(annotations) && typeof annotations.title === 'string' ? annotations.title : undefined;

/** What the server says of a tool; nothing checks it. */
function hintsOf(annotations: object | undefined): string[] {
  if (!isRecord(annotations)) return [];
  return Object.entries(hints).flatMap(([name, text]) => (annotations[name] === true ? [text] : []));
}
