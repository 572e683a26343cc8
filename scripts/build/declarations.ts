/** Finishes the built declarations: adds those for programs that `require` the package, and removes those that no program reaches. */
import { readdirSync, rmSync, writeFileSync } from 'node:fs';
import { basename, join, resolve } from 'node:path';
import ts from 'typescript';

/** `entries` are the names of the declarations that package.json offers, without `.d.ts`. */
export function finishDeclarations(folder: string, entries: readonly string[]): void {
  const files = entries.map((entry) => resolve(folder, `${entry}.d.ts`));
  const program = ts.createProgram(files, {
    module: ts.ModuleKind.ESNext,
    moduleResolution: ts.ModuleResolutionKind.Bundler,
    noLib: true,
    types: [],
  });
  removeOthers(folder, new Set(program.getSourceFiles().map(({ fileName }) => resolve(fileName))));
  const checker = program.getTypeChecker();
  for (const [at, entry] of entries.entries()) {
    const file = program.getSourceFile(files[at] as string);
    const module = file && checker.getSymbolAtLocation(file);
    const exported = module === undefined ? [] : checker.getExportsOfModule(module);
    const names = exported.map((symbol) => nameOf(checker, symbol));
    writeFileSync(join(folder, `${entry}.d.cts`), commonJsTypes(basename(entry), names));
  }
}

/** Declarations of entries that have the types of another: those for other runtimes have the types of the one for Node. */
function removeOthers(folder: string, reached: ReadonlySet<string>): void {
  const names = readdirSync(folder, { recursive: true, encoding: 'utf8' });
  const declarations = names.filter((name) => name.endsWith('.d.ts')).map((name) => resolve(folder, name));
  for (const file of declarations) if (!reached.has(file)) rmSync(file);
}

interface Name {
  readonly name: string;
  readonly isValue: boolean;
  readonly isType: boolean;
}

/**
 * The compiler takes a `.d.ts` of this package for ESM only, and refuses to `require` it. These declarations have no types of
 * their own, so that both formats mean the same ones.
 */
function commonJsTypes(entry: string, names: readonly Name[]): string {
  const from = `'./${entry}.js' with { 'resolution-mode': 'import' }`;
  const values = names.filter(({ isValue }) => isValue);
  const types = names.filter(({ isValue }) => !isValue).map(({ name }) => name);
  const lines = [
    ...(values.length > 0 ? [`import type * as esm from ${from};`] : []),
    ...values.map(({ name }) => `export declare const ${name}: typeof esm.${name};`),
    // Such as a class.
    ...values.filter(({ isType }) => isType).map(({ name }) => `export type ${name} = esm.${name};`),
    ...(types.length > 0 ? [`export type { ${types.join(', ')} } from ${from};`] : []),
  ];
  // An entry that exports nothing is loaded for its effect.
  return `${(lines.length > 0 ? lines : ['export {};']).join('\n')}\n`;
}

/** Follows a name to its declaration: it may be marked as a type anywhere on the way. */
function nameOf(checker: ts.TypeChecker, exported: ts.Symbol): Name {
  const { name } = exported;
  let symbol = exported;
  let isTypeOnly = false;
  while (symbol.flags & ts.SymbolFlags.Alias) {
    isTypeOnly ||= symbol.declarations?.some((node) => ts.isTypeOnlyImportOrExportDeclaration(node)) === true;
    const next = checker.getImmediateAliasedSymbol(symbol);
    if (next === undefined || next === symbol) break;
    symbol = next;
  }
  const isType = (symbol.flags & ts.SymbolFlags.Type) !== 0;
  const isValue = !isTypeOnly && (symbol.flags & ts.SymbolFlags.Value) !== 0;
  if (!isType && !isValue) throw new Error(`${name} is neither a value nor a type: its declaration is missing`);
  if (isType && isValue && symbol.declarations?.some(isGeneric))
    throw new Error(`${name} is a value and a generic type: its declaration for require needs the parameters`);
  return { name, isValue, isType };
}

const isGeneric = (node: ts.Declaration): boolean =>
  (ts.isClassDeclaration(node) || ts.isInterfaceDeclaration(node) || ts.isTypeAliasDeclaration(node)) &&
  node.typeParameters !== undefined;
