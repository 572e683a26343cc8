/** What each entry point exports, values and types, changes only on purpose. */
import { join } from 'node:path';
import ts from 'typescript';
import { describe, expect, it } from 'vitest';
import { root } from '../architecture/source-tree.ts';
import { built, entries, presentEntries } from './entries.ts';
import { pinned } from './pins.ts';

/** Each exported name and whether it can be used at run time; one line a name, so that a change reads well. */
type Names = Readonly<Record<string, 'value' | 'type'>>;

function exportsNow(): Record<string, Names> {
  const { config } = ts.readConfigFile(join(root, 'tsconfig.node.json'), ts.sys.readFile);
  const { options } = ts.parseJsonConfigFileContent(config, ts.sys, root);
  const program = ts.createProgram(
    presentEntries.map(({ source }) => join(root, source)),
    options,
  );
  return Object.fromEntries(presentEntries.map(({ name, source }) => [name, namesOf(program, join(root, source))]));
}

function namesOf(program: ts.Program, path: string): Names {
  const checker = program.getTypeChecker();
  const file = program.getSourceFile(path);
  const module = file && checker.getSymbolAtLocation(file);
  const symbols = module === undefined ? [] : checker.getExportsOfModule(module);
  const names = symbols.map((symbol) => [symbol.name, kindOf(checker, symbol)] as const);
  return Object.fromEntries(names.sort(([a], [b]) => (a < b ? -1 : 1)));
}

function kindOf(checker: ts.TypeChecker, symbol: ts.Symbol): 'value' | 'type' {
  const target = symbol.flags & ts.SymbolFlags.Alias ? checker.getAliasedSymbol(symbol) : symbol;
  return !isTypeOnly(symbol) && target.flags & ts.SymbolFlags.Value ? 'value' : 'type';
}

/** `export { type C }` of a class gives its type alone. */
const isTypeOnly = (symbol: ts.Symbol): boolean =>
  symbol.declarations?.some(
    (node) => ts.isExportSpecifier(node) && (node.isTypeOnly || node.parent.parent.isTypeOnly),
  ) === true;

describe('the entry points', () => {
  it('are each built from a source that is there', () => {
    const present = new Set(presentEntries.map(({ name }) => name));
    expect(entries.filter(({ name }) => !present.has(name))).toEqual([]);
  });

  it('are all that the build makes', () => {
    const exported = new Set(entries.map(({ source }) => source));
    expect(Object.values(built).filter((source) => !exported.has(source))).toEqual([]);
  });

  it('export the names pinned in exports.json', () => {
    const now = exportsNow();
    expect(now).toEqual(pinned('exports.json', now));
  });
});
