/** `tenon tools`, `resources`, `templates`, `prompts`: what a server offers. */
import type { Client } from '../../../client/api/client.ts';
import type { CommandResult, RunCommand } from '../../io/command.ts';
import type { Given } from '../../io/given.ts';
import type { Io } from '../../io/io.ts';
import { withSpinner } from '../../output/progress.ts';
import { headOf, type Listed, shownItem, styledHead } from '../../output/shown-item.ts';
import { styleFor } from '../../output/style.ts';
import { cut, oneLine, textTable } from '../../output/table.ts';
import { wrapped } from '../../output/wrapped.ts';
import { withClient } from '../../target/open-client.ts';
import { unknownName } from '../../usage-error.ts';

type ListName = 'tools' | 'resources' | 'templates' | 'prompts';

const read: Readonly<Record<ListName, (client: Client) => Promise<readonly Listed[]>>> = {
  tools: (client) => client.tools.list().all(),
  resources: (client) => client.resources.list().all(),
  templates: (client) => client.resources.listTemplates().all(),
  prompts: (client) => client.prompts.list().all(),
};

const keyOf = ({ uri, uriTemplate, name }: Listed): string => uri ?? uriTemplate ?? name;

const listing =
  (kind: ListName): RunCommand =>
  (given) =>
    withClient(given, async (client) => {
      const items = await withSpinner(given.io, kind, () => read[kind](client));
      const [name] = given.words;
      if (name === undefined) return { result: items, text: tableOf(items, kind, given) };
      return one(items, name, kind, given.io);
    });

function tableOf(items: readonly Listed[], kind: ListName, { io }: Given): string {
  if (items.length === 0) return `No ${kind}.`;
  const style = styleFor(io);
  if (kind === 'tools' || kind === 'prompts') return items.map((item) => signatureLines(item, io)).join('\n');
  const rows = items.map((item) => [
    style.title(keyOf(item)),
    item.title ?? item.name,
    style.dim(item.description ?? ''),
  ]);
  return textTable(rows, io.columns);
}

const indent = '    ';

/** The signature, and below it the beginning of the description. */
function signatureLines(item: Listed, io: Io): string {
  const style = styleFor(io);
  const head = styledHead(wrapped(headOf(item), io.columns, '', indent), oneLine(item.name), style.title);
  const about = oneLine(item.description ?? item.title ?? '');
  if (about === '') return head;
  return `${head}\n${indent}${style.dim(cut(about, io.columns - indent.length))}`;
}

function one(items: readonly Listed[], name: string, kind: ListName, io: Io): CommandResult {
  const item = items.find((each) => each.name === name || keyOf(each) === name);
  if (item === undefined) throw unknownName(kind.slice(0, -1), name, items.map(keyOf), `tenon ${kind} lists them.`);
  return { result: item, text: shownItem(item, io) };
}

export const lists: Readonly<Record<ListName, { readonly run: RunCommand }>> = {
  tools: { run: listing('tools') },
  resources: { run: listing('resources') },
  templates: { run: listing('templates') },
  prompts: { run: listing('prompts') },
};
