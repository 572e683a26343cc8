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

/** Entries that export every type that their names mention, directly or indirectly. */
const complete: ReadonlySet<string> = new Set(['tenon', 'tenon/server', 'tenon/client', 'tenon/extensions']);

const isOurs = (file: string): boolean => file.startsWith(join(root, 'src/'));

const typesIn = (symbols: readonly ts.Symbol[]): ReadonlySet<ts.Symbol> =>
  new Set(symbols.map((symbol) => resolved(checker, symbol)));

/**
 * The types that an entry mentions and does not export: a program that infers one could not name it. The smaller
 * entries export the types in the signatures of their functions; `tenon` exports what those types mention.
 */
function unnameable(name: string, source: string): string[] {
  const symbols = symbolsOf(source);
  const values = symbols.filter((symbol) => kindOf(symbol) === 'value');
  const own = typesIn(symbols);
  const shared = complete.has(name.split(' ')[0] as string) ? own : new Set([...own, ...typesIn(symbolsOf(mainEntry))]);
  const missing = [
    ...mentionedTypes(checker, values, isOurs, 'signatures').filter(({ symbol }) => !own.has(symbol)),
    ...mentionedTypes(checker, symbols, isOurs).filter(({ symbol }) => !shared.has(symbol)),
  ];
  return missing.map(({ symbol, by }) => `${name} does not export ${symbol.name}, which ${by} mentions`);
}

const mainEntry = 'src/node/index.ts';

/** Public names and members without JSDoc, as `file: name`. The specification describes the members of its records. */
function withoutJsDoc(): string[] {
  const hasOwnMembers = (file: string): boolean => isOurs(file) && !file.includes('/protocol/generated/');
  const found = presentEntries.flatMap(({ source }) => undocumented(checker, symbolsOf(source), hasOwnMembers));
  return [...new Set(found.map(({ file, name }) => `${relative(root, file)}: ${name}`))].sort();
}

describe('the entry points', () => {
  it('are each built from a source that exists', () => {
    const present = new Set(presentEntries.map(({ name }) => name));
    expect(entries.filter(({ name }) => !present.has(name))).toEqual([]);
  });

  it('are all outputs of the build', () => {
    // The program `tenon` is run, not imported.
    const exported = new Set([...entries.map(({ source }) => source), 'src/cli/main.ts']);
    expect(Object.values(built).filter((source) => !exported.has(source))).toEqual([]);
  });

  it('export every type that a program can infer from what they export', () => {
    const own = presentEntries.filter(({ source }) => !source.includes('/generated/'));
    expect([...new Set(own.flatMap(({ name, source }) => unnameable(name, source)))]).toEqual([]);
  });

  it('have JSDoc for every function, class, type and constant, and for every member of a type', () => {
    expect(withoutJsDoc()).toEqual([]);
  });

  it('export the names pinned in exports.json', () => {
    const now = exportsNow();
    expect(now).toEqual(pinned('exports.json', now));
  });
});
