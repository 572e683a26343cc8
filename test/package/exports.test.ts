/** The exports of each entry point, values and types, are pinned. */
import { join, relative } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import ts from 'typescript';
import { describe, expect, it } from 'vitest';
import { loads } from '../../tsdown.config.ts';
import { root } from '../architecture/source-tree.ts';
import { undocumented } from './documented.ts';
import { built, codeTargets, entries, presentEntries, type Target } from './entries.ts';
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

const isOurs = (file: string): boolean => file.startsWith(join(root, 'src/'));

const typesIn = (symbols: readonly ts.Symbol[]): ReadonlySet<ts.Symbol> =>
  new Set(symbols.map((symbol) => resolved(checker, symbol)));

/** Entries that repeat names of others, so that a program needs one import. */
const selections: ReadonlySet<string> = new Set([
  'src/index.ts',
  'src/node/index.ts',
  'src/node/stdio-server/stdio.ts',
]);

/** A group of options needs no name of its own: `ServeHttpOptions['timeouts']`. */
const isGroup = ({ name }: ts.Symbol): boolean => /(?:Limits|Timeouts)$/.test(name) || groups.has(name);

const groups: ReadonlySet<string> = new Set([
  'CapabilityOptions',
  'EncryptionOptions',
  'HandlerTaskOptions',
  'IdempotencyOptions',
  'RequestStateOptions',
  'SharedStoreOptions',
  'SsePaths',
  'StoredConsentsOptions',
  'StoredCredentialsOptions',
]);

/** The types that an entry mentions and that neither it nor an entry that it loads exports: a program that infers one could not name it. */
function unnameable(name: string, source: string): string[] {
  const output = Object.entries(built).find(([, from]) => from === source)?.[0] ?? '';
  const homes = [source, ...(loads[output] ?? []).map((entry) => built[entry] as string)];
  const named = typesIn(homes.flatMap(symbolsOf));
  return mentionedTypes(checker, symbolsOf(source), isOurs)
    .filter(({ symbol }) => !named.has(symbol) && !isGroup(symbol))
    .map(({ symbol, by }) => `${name} loads no entry that exports ${symbol.name}, which ${by} mentions`);
}

/** Types that two entries export, as `Type: entry, entry`. Entries of one subpath count once. */
function typesWithTwoHomes(): string[] {
  const homes = new Map<ts.Symbol, Set<string>>();
  for (const { name, source } of presentEntries) {
    if (selections.has(source) || source.includes('/generated/')) continue;
    for (const symbol of symbolsOf(source)) {
      if (kindOf(symbol) === 'value') continue;
      const type = resolved(checker, symbol);
      homes.set(type, (homes.get(type) ?? new Set()).add(name.split(' ')[0] as string));
    }
  }
  return [...homes]
    .filter(([, { size }]) => size > 1)
    .map(([{ name }, entries]) => `${name}: ${[...entries].join(', ')}`);
}

/** Public names and members without JSDoc, as `file: name`. The specification describes the members of its records. */
function withoutJsDoc(): string[] {
  const hasOwnMembers = (file: string): boolean => isOurs(file) && !file.includes('/protocol/generated/');
  const found = presentEntries.flatMap(({ source }) => undocumented(checker, symbolsOf(source), hasOwnMembers));
  return [...new Set(found.map(({ file, name }) => `${relative(root, file)}: ${name}`))].sort();
}

/** The first file of a target is the one for Node: its types are those of all runtimes. */
function hasBothTypes(target: Target): boolean {
  const [types, file] = typeof target === 'string' ? [] : Object.values(target);
  const name = typeof file === 'string' ? file.replace(/\.js$/, '') : undefined;
  return isDeepStrictEqual(types, { require: `${name}.d.cts`, default: `${name}.d.ts` });
}

describe('the entry points', () => {
  it('have types for programs that import them, and for those that require them', () => {
    expect(codeTargets.filter(([, target]) => !hasBothTypes(target))).toEqual([]);
  });

  it('are each built from a source that exists', () => {
    const present = new Set(presentEntries.map(({ name }) => name));
    expect(entries.filter(({ name }) => !present.has(name))).toEqual([]);
  });

  it('are all outputs of the build', () => {
    // The program `tenon` is run, not imported.
    const exported = new Set([...entries.map(({ source }) => source), 'src/cli/main.ts']);
    expect(Object.values(built).filter((source) => !exported.has(source))).toEqual([]);
  });

  it('let a program name every type that it can infer from what they export', () => {
    const own = presentEntries.filter(({ source }) => !source.includes('/generated/'));
    expect([...new Set(own.flatMap(({ name, source }) => unnameable(name, source)))]).toEqual([]);
  });

  it('have one home for each type', () => {
    expect(typesWithTwoHomes()).toEqual([]);
  });

  it('are small where programs begin: `tenon` has at most 150 names', () => {
    const main = namesOf('src/node/index.ts');
    expect(Object.keys(main).length).toBeGreaterThan(100);
    expect(Object.keys(main).length).toBeLessThanOrEqual(150);
  });

  it('have JSDoc for every function, class, type and constant, and for every member of a type', () => {
    expect(withoutJsDoc()).toEqual([]);
  });

  it('export the names pinned in exports.json', () => {
    const now = exportsNow();
    expect(now).toEqual(pinned('exports.json', now));
  });
});
