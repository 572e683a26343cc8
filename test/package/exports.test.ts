/** The exports of each entry point, values and types, are pinned. */
import { join, relative } from 'node:path';
import ts from 'typescript';
import { describe, expect, it } from 'vitest';
import { root } from '../architecture/source-tree.ts';
import { undocumented } from './documented.ts';
import { built, entries, presentEntries } from './entries.ts';
import { mentionedTypes, resolved } from './mentioned-types.ts';
import { pinned } from './pins.ts';

/** Each exported name and whether it exists at run time; one line for each, so that a change is easy to read. */
type Names = Readonly<Record<string, 'value' | 'type'>>;

const { config } = ts.readConfigFile(join(root, 'tsconfig.node.json'), ts.sys.readFile);
const { options } = ts.parseJsonConfigFileContent(config, ts.sys, root);
const program = ts.createProgram(
  presentEntries.map(({ source }) => join(root, source)),
  options,
);
const checker = program.getTypeChecker();

function symbolsOf(source: string): readonly ts.Symbol[] {
  const file = program.getSourceFile(join(root, source));
  const module = file && checker.getSymbolAtLocation(file);
  return module === undefined ? [] : checker.getExportsOfModule(module);
}

const exportsNow = (): Record<string, Names> =>
  Object.fromEntries(presentEntries.map(({ name, source }) => [name, namesOf(source)]));

function namesOf(source: string): Names {
  const names = symbolsOf(source).map((symbol) => [symbol.name, kindOf(symbol)] as const);
  return Object.fromEntries(names.sort(([a], [b]) => (a < b ? -1 : 1)));
}

function kindOf(symbol: ts.Symbol): 'value' | 'type' {
  const target = resolved(checker, symbol);
  return !isTypeOnly(symbol) && target.flags & ts.SymbolFlags.Value ? 'value' : 'type';
}

/** `export { type C }` of a class exports only its type. */
const isTypeOnly = (symbol: ts.Symbol): boolean =>
  symbol.declarations?.some(
    (node) => ts.isExportSpecifier(node) && (node.isTypeOnly || node.parent.parent.isTypeOnly),
  ) === true;

/** Entries that export all types that their names mention, directly or indirectly. */
const complete = new Set(['tenon', 'tenon/server', 'tenon/client', 'tenon/extensions']);

/** The types that an entry mentions and does not export: a program that infers one could not name it. */
function unnameable(name: string, source: string): string[] {
  const symbols = symbolsOf(source);
  const isComplete = complete.has(name.split(' ')[0] as string);
  const from = isComplete ? symbols : symbols.filter((symbol) => kindOf(symbol) === 'value');
  const isOurs = (file: string): boolean => file.startsWith(join(root, 'src/'));
  const named = new Set(symbols.flatMap((symbol) => [symbol.name, resolved(checker, symbol)]));
  const missing = mentionedTypes(checker, from, isOurs, isComplete ? 'all' : 'signatures').filter(
    ({ symbol }) => !named.has(symbol) && !named.has(symbol.name),
  );
  return missing.map(({ symbol, by }) => `${name} does not export ${symbol.name}, which ${by} mentions`);
}

/** Folders in which every public name has JSDoc. The list grows until it is `src/`. */
const documentedRooms = [
  'src/client/',
  'src/extensions/',
  'src/host/',
  'src/hygiene/',
  'src/json-schema/',
  'src/jsonrpc/',
  'src/node/',
  'src/protocol/',
  'src/schema/',
  'src/server/',
  'src/store/',
  'src/telemetry/',
  'src/test/',
  'src/transport/',
];

/** Public names without JSDoc, as `file: name`; the records of the protocol are documented by the specification. */
function withoutJsDoc(): string[] {
  const own = presentEntries.filter(({ source }) => !source.includes('/generated/'));
  const found = own.flatMap(({ source }) => undocumented(checker, symbolsOf(source)));
  const places = found.map(({ file, name }) => `${relative(root, file)}: ${name}`);
  return [...new Set(places)].filter((place) => !place.startsWith('src/protocol/generated/')).sort();
}

describe('the entry points', () => {
  it('are each built from a source that exists', () => {
    const present = new Set(presentEntries.map(({ name }) => name));
    expect(entries.filter(({ name }) => !present.has(name))).toEqual([]);
  });

  it('are all outputs of the build', () => {
    const exported = new Set(entries.map(({ source }) => source));
    expect(Object.values(built).filter((source) => !exported.has(source))).toEqual([]);
  });

  it('export every type that a program can infer from what they export', () => {
    const own = presentEntries.filter(({ source }) => !source.includes('/generated/'));
    expect([...new Set(own.flatMap(({ name, source }) => unnameable(name, source)))]).toEqual([]);
  });

  it('have JSDoc for every function, class and type, and for every option', () => {
    const missing = withoutJsDoc();
    expect(missing.filter((place) => documentedRooms.some((room) => place.startsWith(room)))).toEqual([]);
  });

  it('export the names pinned in exports.json', () => {
    const now = exportsNow();
    expect(now).toEqual(pinned('exports.json', now));
  });
});
