/** `tenon tools`, `resources`, `templates`, `prompts`: what a server offers. */
import type { Client } from '../../../client/api/client.ts';
import type { CommandResult, RunCommand } from '../../io/command.ts';
import type { Given } from '../../io/given.ts';
import { withSpinner } from '../../output/progress.ts';
import { styleFor } from '../../output/style.ts';
import { textTable } from '../../output/table.ts';
import { withClient } from '../../target/open-client.ts';
import { unknownName } from '../../usage-error.ts';

interface Listed {
  readonly name: string;
  readonly title?: string;
  readonly description?: string;
  readonly uri?: string;
  readonly uriTemplate?: string;
}

type ListName = 'tools' | 'resources' | 'templates' | 'prompts';

const read: Readonly<Record<ListName, (client: Client) => Promise<readonly Listed[]>>> = {
  tools: (client) => client.tools.list().all(),
  resources: (client) => client.resources.list().all(),
  templates: (client) => client.resources.listTemplates().all(),
  prompts: (client) => client.prompts.list().all(),
};

const keyOf = ({ uri, uriTemplate, name }: Listed): string => uri ?? uriTemplate ?? name;

/** What a list says of an item beside its key. */
const aboutOf = (item: Listed): string =>
  item.description ?? item.title ?? (item.name === keyOf(item) ? '' : item.name);

const listing =
  (kind: ListName): RunCommand =>
  (given) =>
    withClient(given, async (client) => {
      const items = await withSpinner(given.io, kind, () => read[kind](client));
      const [name] = given.words;
      if (name === undefined) return { result: items, text: tableOf(items, kind, given) };
      return one(items, name, kind);
    });

function tableOf(items: readonly Listed[], kind: ListName, given: Given): string {
  if (items.length === 0) return `No ${kind}.`;
  const style = styleFor(given.io);
  const rows = items.map((item) => [style.title(keyOf(item)), aboutOf(item)]);
  return textTable(rows, given.io.columns);
}

function one(items: readonly Listed[], name: string, kind: ListName): CommandResult {
  const item = items.find((each) => each.name === name || keyOf(each) === name);
  if (item === undefined)
    throw unknownName(kind.slice(0, -1), name, items.map(keyOf), `See the list without ${JSON.stringify(name)}.`);
  return { result: item, text: JSON.stringify(item, null, 2) };
}

export const lists: Readonly<Record<ListName, { readonly run: RunCommand }>> = {
  tools: { run: listing('tools') },
  resources: { run: listing('resources') },
  templates: { run: listing('templates') },
  prompts: { run: listing('prompts') },
};
