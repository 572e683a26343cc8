/** The API reference as Markdown: a page for each entry point, made from the declarations of its names and their comments. */
import { readFileSync } from 'node:fs';
import ts from 'typescript';
import { describeDeclaration } from '../api/declaration-lines.ts';
import { type DeclaredEntries, declaredEntries, isNamed, resolved } from '../api/declared-entries.ts';
import { fileOf } from '../api/report.ts';
import { commentOf, declarationOf } from './api-text.ts';
import { createAnchors } from './headings.ts';

export interface ApiPage {
  /** From the root of the site. */
  readonly path: string;
  readonly title: string;
  readonly markdown: string;
}

interface Item {
  readonly name: string;
  readonly symbol: ts.Symbol;
  readonly section: string;
  /** Without `#`. */
  readonly anchor: string;
}

interface Entry {
  readonly name: string;
  readonly source: string;
  readonly items: readonly Item[];
  /** Names that another entry describes. */
  readonly elsewhere: readonly { readonly name: string; readonly symbol: ts.Symbol }[];
}

const values = 'Functions and values';
const types = 'Types';
const mentioned = 'Types without an export of their own';

export function apiPages(root: string): readonly ApiPage[] {
  const declared = declaredEntries(root, { comments: true });
  const entries = declared.entries.map(({ name, source }) => entryOf(name, source, declared));
  const addresses = new Map(
    entries.flatMap(({ name, items }) => items.map(({ symbol, anchor }) => [symbol, `./${pageOf(name)}#${anchor}`])),
  );
  const pages = entries
    .filter(({ items, elsewhere }) => items.length + elsewhere.length > 0)
    .map((entry) => ({
      path: `api/${pageOf(entry.name)}`,
      title: entry.name,
      markdown: markdownOf(entry, declared, addresses),
    }));
  return [indexOf(entries, pages), ...pages];
}

const pageOf = (entry: string): string => `${fileOf(entry)}.md`;

/** Sections in order, each with its names in alphabetical order: the anchors follow from it. */
function entryOf(name: string, source: string, declared: DeclaredEntries): Entry {
  const { exported, homes, checker } = declared;
  const symbols = (exported.get(name) ?? []).map((symbol) => ({
    name: symbol.name,
    symbol: resolved(checker, symbol),
  }));
  const own = symbols.filter(({ symbol }) => homes.get(symbol) === name);
  const unordered = [
    ...own.map((each) => ({ ...each, section: isValue(each.symbol) ? values : types })),
    ...leadingTo(own, declared).map((each) => ({ ...each, section: mentioned })),
  ];
  const anchor = createAnchors();
  anchor(name);
  const items = [values, types, mentioned].flatMap((section) => {
    const inSection = unordered
      .filter((each) => each.section === section)
      .sort((one, other) => one.name.localeCompare(other.name, 'en'));
    if (inSection.length > 0) anchor(section);
    return inSection.map((each) => ({ ...each, anchor: anchor(each.name) }));
  });
  return { name, source, items, elsewhere: symbols.filter(({ symbol }) => homes.get(symbol) !== name) };
}

const isValue = ({ flags }: ts.Symbol): boolean => (flags & ts.SymbolFlags.Value) !== 0;

interface Named {
  readonly name: string;
  readonly symbol: ts.Symbol;
}

/** Types that the declarations mention, and that no entry exports. */
function leadingTo(own: readonly Named[], declared: DeclaredEntries): Named[] {
  const found: Named[] = [];
  const seen = new Set(own.map(({ symbol }) => symbol));
  const queue = [...own];
  for (const { name, symbol } of queue) {
    for (const type of referencesOf(name, symbol, declared)) {
      if (seen.has(type) || declared.homes.has(type) || !isNamed(type) || !isDeclaredHere(type, declared)) continue;
      seen.add(type);
      const next = { name: type.name, symbol: type };
      found.push(next);
      queue.push(next);
    }
  }
  return found;
}

const isDeclaredHere = ({ declarations = [] }: ts.Symbol, { isOurs }: DeclaredEntries): boolean =>
  declarations.some(isOurs);

function referencesOf(name: string, symbol: ts.Symbol, { checker, isOurs }: DeclaredEntries): ts.Symbol[] {
  return (symbol.declarations ?? [])
    .filter(isOurs)
    .flatMap((node) => describeDeclaration(name, node).references)
    .flatMap((reference) => checker.getSymbolAtLocation(reference) ?? [])
    .map((each) => resolved(checker, each));
}

type Addresses = ReadonlyMap<ts.Symbol, string>;

function markdownOf(entry: Entry, declared: DeclaredEntries, addresses: Addresses): string {
  const sections = [values, types, mentioned].flatMap((section) => {
    const items = entry.items.filter((item) => item.section === section);
    return items.length === 0
      ? []
      : [`## ${section}`, ...items.map((item) => itemText(item, entry.name, declared, addresses))];
  });
  const links = entry.elsewhere.map(({ name, symbol }) => linkTo(name, addresses.get(symbol)));
  return [
    `# ${entry.name}`,
    aboutOf(entry.source),
    ...sections,
    ...(links.length === 0 ? [] : ['## From other entry points', `${links.join(', ')}.`]),
  ].join('\n\n');
}

function itemText(item: Item, entry: string, declared: DeclaredEntries, addresses: Addresses): string {
  const { name, symbol } = item;
  const declarations = (symbol.declarations ?? []).filter(declared.isOurs);
  const own = `./${pageOf(entry)}`;
  const addressOf = (type: ts.Symbol): string | undefined => addresses.get(type)?.replace(own, '');
  const others = new Map(
    referencesOf(name, symbol, declared)
      .filter((type) => type !== symbol && addresses.has(type))
      .map((type) => [type.name, linkTo(type.name, addressOf(type))]),
  );
  const byName = new Map([...addresses].map(([type, address]) => [type.name, address.replace(own, '')]));
  return [
    `### ${name}`,
    ...commentOf(symbol, declared.checker, byName),
    `\`\`\`ts\n${declarations.map((node) => declarationOf(name, node)).join('\n\n')}\n\`\`\``,
    ...(others.size === 0 ? [] : [`See ${[...others.values()].join(', ')}.`]),
  ].join('\n\n');
}

const linkTo = (name: string, address: string | undefined): string =>
  address === undefined ? `\`${name}\`` : `[${name}](${address})`;

/** The first sentence of its source. */
const aboutOf = (source: string): string => /^\/\*\* (.+?) \*\//.exec(readFileSync(source, 'utf8'))?.[1] ?? '';

function indexOf(entries: readonly Entry[], pages: readonly ApiPage[]): ApiPage {
  const shown = entries.filter(({ name }) => pages.some(({ title }) => title === name));
  const rows = shown
    .toSorted((one, other) => one.name.localeCompare(other.name, 'en'))
    .map(({ name, source }) => `| [${name}](./${pageOf(name)}) | ${aboutOf(source).replaceAll('|', '\\|')} |`);
  const markdown = [
    '# API',
    'Every public name by the entry point that it is imported from, made from the declarations of the package. `tenon` and `tenon/stdio` repeat names of others, so that a program needs one import.',
    `| entry point | what it has |\n| --- | --- |\n${rows.join('\n')}`,
  ].join('\n\n');
  return { path: 'api/index.md', title: 'API', markdown };
}
