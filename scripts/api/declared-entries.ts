/** The entry points of the package as the compiler sees their declarations: inferred types written out, internals left out. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import ts from 'typescript';
import tsdown from '../../tsdown.config.ts';

export interface Entry {
  /** The import specifier: `tenon/server`. */
  readonly name: string;
  /** The path of its source. */
  readonly source: string;
}

export interface DeclaredEntries {
  readonly checker: ts.TypeChecker;
  /** Selections last. */
  readonly entries: readonly Entry[];
  /** What each entry exports, by its name. */
  readonly exported: ReadonlyMap<string, readonly ts.Symbol[]>;
  /** The entry that describes a public name; others refer to it. */
  readonly homes: ReadonlyMap<ts.Symbol, string>;
  readonly isOurs: (node: ts.Node) => boolean;
}

type Target = string | { readonly types?: { readonly default: string } };

/** They repeat names of others, so that a program needs one import. */
const selections: ReadonlySet<string> = new Set(['tenon', 'tenon/stdio']);

/** The values of private symbols: a program cannot reach them. */
const internals: ReadonlySet<string> = new Set(['ServerInternals', 'Mountable', 'Follower']);

export function declaredEntries(root: string, { comments }: { readonly comments: boolean }): DeclaredEntries {
  const entries = entriesOf(root);
  const sources = entries.map(({ source }) => source);
  const { config } = ts.readConfigFile(join(root, 'tsconfig.node.json'), ts.sys.readFile);
  const { options } = ts.parseJsonConfigFileContent(config, ts.sys, root);
  const program = ts.createProgram(sources, options, declaring(sources, { ...options, removeComments: !comments }));
  const checker = program.getTypeChecker();
  const homes = new Map<ts.Symbol, string>();
  const exported = new Map<string, readonly ts.Symbol[]>();
  for (const { name, source } of entries) {
    const file = program.getSourceFile(source);
    const module = file && checker.getSymbolAtLocation(file);
    const symbols = module === undefined ? [] : checker.getExportsOfModule(module);
    exported.set(name, symbols);
    for (const symbol of symbols) {
      const target = resolved(checker, symbol);
      if (!homes.has(target)) homes.set(target, name);
    }
  }
  const isOurs = (node: ts.Node): boolean => node.getSourceFile().fileName.startsWith(join(root, 'src/'));
  return { checker, entries, exported, homes, isOurs };
}

/**
 * The entry points with types, selections last. Left out are the messages of each revision: their types are the
 * specification's, and other tests compare them with it.
 */
function entriesOf(root: string): readonly Entry[] {
  const { name, exports } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as {
    readonly name: string;
    readonly exports: Readonly<Record<string, Target>>;
  };
  const built = (tsdown as { readonly entry: Readonly<Record<string, string>> }).entry;
  const entries = Object.entries(exports).flatMap(([subpath, target]) => {
    const types = typeof target === 'string' ? undefined : target.types?.default;
    const source = types === undefined ? undefined : built[types.replace(/^\.\/dist\/|\.d\.ts$/g, '')];
    if (source === undefined || source.includes('/generated/')) return [];
    return [{ name: name + subpath.slice(1), source: join(root, source) }];
  });
  const isSelection = (entry: Entry): boolean => selections.has(entry.name);
  return [...entries.filter((entry) => !isSelection(entry)), ...entries.filter(isSelection)];
}

/** A host that reads, in place of each source, its declarations: inferred types are written out, internals left out. */
function declaring(sources: readonly string[], options: ts.CompilerOptions): ts.CompilerHost {
  const declared = new Map<string, string>();
  const emitting: ts.CompilerOptions = {
    ...options,
    noEmit: false,
    declaration: true,
    emitDeclarationOnly: true,
    stripInternal: true,
  };
  const write: ts.WriteFileCallback = (file, text) => void declared.set(file.replace(/\.d\.ts$/, '.ts'), text);
  ts.createProgram(sources, emitting).emit(undefined, write, undefined, true);
  const host = ts.createCompilerHost(options, true);
  return {
    ...host,
    getSourceFile(file, languageVersion, onError, isNew) {
      const text = declared.get(file);
      if (text === undefined) return host.getSourceFile(file, languageVersion, onError, isNew);
      return ts.createSourceFile(file, text, languageVersion, true);
    },
  };
}

export const resolved = (checker: ts.TypeChecker, symbol: ts.Symbol): ts.Symbol =>
  symbol.flags & ts.SymbolFlags.Alias ? checker.getAliasedSymbol(symbol) : symbol;

/** Not a type parameter, and not private. */
export const isNamed = ({ flags, name }: ts.Symbol): boolean =>
  (flags & ts.SymbolFlags.TypeParameter) === 0 && !internals.has(name);
