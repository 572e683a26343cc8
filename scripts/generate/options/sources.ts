/** The source files, and what a name in one of them stands for: syntax only, no types are resolved. */
import { posix } from 'node:path';
import ts from 'typescript';

export type Texts = ReadonlyMap<string, string>;

/** A declaration and the file that has it. */
export interface Found<N extends ts.Node = ts.Statement> {
  readonly path: string;
  readonly node: N;
}

export interface Sources {
  readonly texts: Texts;
  file(path: string): ts.SourceFile;
  /** The interface or type alias that a name stands for in a file: its own, or one that it imports. */
  typeNamed(path: string, name: string): Found<ts.InterfaceDeclaration | ts.TypeAliasDeclaration> | undefined;
  /** The files that export a constant of type `Rule` by this name. */
  filesWithRule(name: string): readonly string[];
}

export function createSources(texts: Texts): Sources {
  const parsed = new Map<string, ts.SourceFile>();

  function file(path: string): ts.SourceFile {
    const known = parsed.get(path);
    if (known !== undefined) return known;
    const read = ts.createSourceFile(path, texts.get(path) ?? '', ts.ScriptTarget.Latest, true);
    parsed.set(path, read);
    return read;
  }

  function typeNamed(path: string, name: string): ReturnType<Sources['typeNamed']> {
    const { statements } = file(path);
    const own = statements.filter(isType).find((each) => each.name.text === name);
    if (own !== undefined) return { path, node: own };
    const imported = statements.filter(ts.isImportDeclaration).flatMap((each) => importOf(each, name))[0];
    if (imported === undefined || !imported.from.startsWith('.')) return undefined;
    const target = posix.join(posix.dirname(path), imported.from);
    return target === path ? undefined : typeNamed(target, imported.name);
  }

  const rules = rulesIn(texts);
  return { texts, file, typeNamed, filesWithRule: (name) => rules.get(name) ?? [] };
}

/** The files of every exported constant of type `Rule`, by its name. */
function rulesIn(texts: Texts): ReadonlyMap<string, readonly string[]> {
  const rules = new Map<string, string[]>();
  for (const [path, text] of texts)
    for (const [, name = ''] of text.matchAll(/^export const (\w+): Rule\b/gm))
      rules.set(name, [...(rules.get(name) ?? []), path]);
  return rules;
}

const isType = (node: ts.Statement): node is ts.InterfaceDeclaration | ts.TypeAliasDeclaration =>
  ts.isInterfaceDeclaration(node) || ts.isTypeAliasDeclaration(node);

/** Where an import declaration takes a name from, and what it is called there. */
function importOf(
  { importClause, moduleSpecifier }: ts.ImportDeclaration,
  name: string,
): { from: string; name: string }[] {
  const bindings = importClause?.namedBindings;
  if (bindings === undefined || !ts.isNamedImports(bindings) || !ts.isStringLiteral(moduleSpecifier)) return [];
  const element = bindings.elements.find((each) => each.name.text === name);
  return element === undefined
    ? []
    : [{ from: moduleSpecifier.text, name: (element.propertyName ?? element.name).text }];
}

/** The place of a node, as an editor opens it: `src/server/http/options.ts:12`. */
export function placeOf(node: ts.Node): string {
  const file = node.getSourceFile();
  return `${file.fileName}:${file.getLineAndCharacterOfPosition(node.getStart()).line + 1}`;
}
