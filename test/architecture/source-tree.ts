/** Reads the TypeScript files under a folder into plain facts that the architecture rules judge. */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join, posix } from 'node:path';
import { fileURLToPath } from 'node:url';
import ts from 'typescript';

export const root: string = fileURLToPath(new URL('../..', import.meta.url));

export interface SourceFile {
  /** From the root of the repository, with forward slashes. */
  readonly path: string;
  readonly text: string;
  readonly lines: number;
  /** What it imports or re-exports: paths for relative imports, the specifier itself otherwise. Types count. */
  readonly imports: readonly string[];
  readonly functions: readonly { readonly name: string; readonly lines: number }[];
  /** True when it has `export *` in any form. */
  readonly exportsAll: boolean;
  /** True when it consists of re-exports by name alone. */
  readonly onlyReexports: boolean;
  /** True when it declares types and nothing else. */
  readonly onlyTypes: boolean;
  /** True when it reads a property named `lifecycle`. */
  readonly readsLifecycle: boolean;
  /** True when it asks for the platform while it is loaded, so that no test can choose another. */
  readonly readsPlatformAtLoad: boolean;
  /** Where it compares protocol versions by their dates, as `a < b`. */
  readonly versionComparisons: readonly string[];
}

/** The folders that were read: several test files of one process read the same. */
const read = new Map<string, readonly SourceFile[]>();

/** Every TypeScript file under the folder, tests left out. */
export function readTree(folder: string): readonly SourceFile[] {
  const files = read.get(folder) ?? sourcePaths(folder).map((path) => readSource(path, textOf(path)));
  read.set(folder, files);
  return files;
}

/** The paths of these files. */
export const sourcePaths = (folder: string): string[] =>
  pathsUnder(folder).filter((path) => /\.tsx?$/.test(path) && !path.endsWith('.test.ts'));

const textOf = (path: string): string => readFileSync(join(root, path), 'utf8');

/** The text of every source, TypeScript or not, under the folders or at the paths; what was installed or measured is none. */
export function readTexts(places: readonly string[]): { readonly path: string; readonly text: string }[] {
  return places
    .flatMap((place) => (/\.\w+$/.test(place) ? [place] : pathsUnder(place)))
    .filter((path) => /\.(?:ts|mjs|js)$/.test(path) && !/(?:^|\/)(?:node_modules|results)\//.test(path))
    .map((path) => ({ path, text: textOf(path) }));
}

/** Every file under the folder, as paths from the root of the repository. */
export function pathsUnder(folder: string): string[] {
  if (!existsSync(join(root, folder))) return [];
  return readdirSync(join(root, folder), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => posix.relative(root, join(entry.parentPath, entry.name)))
    .sort();
}

/** The facts of one file. */
export function readSource(path: string, text: string): SourceFile {
  const file = ts.createSourceFile(path, text, ts.ScriptTarget.Latest, true);
  const nodes = nodesOf(file);
  return {
    path,
    text,
    lines: text.replace(/\n$/, '').split('\n').length,
    imports: nodes.flatMap(specifierOf).map((specifier) => targetOf(path, specifier)),
    functions: nodes.filter(isFunctionWithBody).map((node) => ({ name: nameOf(node), lines: linesOf(node) })),
    exportsAll: nodes.some(isExportAll),
    onlyReexports: file.statements.every((each) => ts.isExportDeclaration(each) && each.moduleSpecifier !== undefined),
    onlyTypes: file.statements.every(isTypeOrImport) && !file.statements.every(ts.isImportDeclaration),
    readsLifecycle: nodes.some(isLifecycleRead),
    readsPlatformAtLoad: nodes.some((node) => node.getText() === 'process.platform' && !isInFunction(node)),
    versionComparisons: nodes.filter(isVersionComparison).map((node) => node.getText()),
  };
}

const isTypeOrImport = (each: ts.Statement): boolean =>
  ts.isImportDeclaration(each) || ts.isInterfaceDeclaration(each) || ts.isTypeAliasDeclaration(each);

function nodesOf(file: ts.SourceFile): ts.Node[] {
  const nodes: ts.Node[] = [];
  const visit = (node: ts.Node): void => {
    nodes.push(node);
    ts.forEachChild(node, visit);
  };
  visit(file);
  return nodes;
}

/** The module a node names: static, type-only and dynamic imports, re-exports, and `import('x').T` in types. */
function specifierOf(node: ts.Node): string[] {
  const named = moduleNodeOf(node);
  return named !== undefined && ts.isStringLiteralLike(named) ? [named.text] : [];
}

function moduleNodeOf(node: ts.Node): ts.Node | undefined {
  if (ts.isImportDeclaration(node) || ts.isExportDeclaration(node)) return node.moduleSpecifier;
  if (ts.isImportTypeNode(node)) return ts.isLiteralTypeNode(node.argument) ? node.argument.literal : undefined;
  if (ts.isCallExpression(node) && node.expression.kind === ts.SyntaxKind.ImportKeyword) return node.arguments[0];
  return undefined;
}

const targetOf = (path: string, specifier: string): string =>
  specifier.startsWith('.') ? posix.join(posix.dirname(path), specifier) : specifier;

type FunctionNode = ts.FunctionLikeDeclaration & { readonly body: ts.Node };

const isFunctionWithBody = (node: ts.Node): node is FunctionNode =>
  ts.isFunctionLike(node) && 'body' in node && node.body !== undefined;

function nameOf(node: FunctionNode): string {
  const named = [node, node.parent].find((each) => 'name' in each && each.name !== undefined) as
    | { readonly name: ts.Node }
    | undefined;
  if (named !== undefined) return named.name.getText();
  if (ts.isConstructorDeclaration(node)) return 'constructor';
  const { line } = node.getSourceFile().getLineAndCharacterOfPosition(node.getStart());
  return `function at line ${line + 1}`;
}

function linesOf(node: ts.Node): number {
  const file = node.getSourceFile();
  const lineOf = (position: number): number => file.getLineAndCharacterOfPosition(position).line;
  return lineOf(node.getEnd()) - lineOf(node.getStart()) + 1;
}

/** The types of the protocol's records, and those of a store, are one list each: entries export it whole. */
const isExportAll = (node: ts.Node): boolean =>
  ts.isExportDeclaration(node) &&
  (node.exportClause === undefined || ts.isNamespaceExport(node.exportClause)) &&
  !(
    node.isTypeOnly && /\/generated\/types\/records\.ts|\/store\/store\.ts/.test(node.moduleSpecifier?.getText() ?? '')
  );

const isInFunction = (node: ts.Node): boolean =>
  ts.isFunctionLike(node) || (node.parent !== undefined && isInFunction(node.parent));

function isLifecycleRead(node: ts.Node): boolean {
  if (ts.isPropertyAccessExpression(node)) return node.name.text === 'lifecycle';
  if (ts.isElementAccessExpression(node)) {
    return ts.isStringLiteralLike(node.argumentExpression) && node.argumentExpression.text === 'lifecycle';
  }
  return ts.isBindingElement(node) && (node.propertyName ?? node.name).getText() === 'lifecycle';
}

const relations: ReadonlySet<ts.SyntaxKind> = new Set([
  ts.SyntaxKind.LessThanToken,
  ts.SyntaxKind.LessThanEqualsToken,
  ts.SyntaxKind.GreaterThanToken,
  ts.SyntaxKind.GreaterThanEqualsToken,
]);

const isVersionComparison = (node: ts.Node): boolean =>
  ts.isBinaryExpression(node) && relations.has(node.operatorToken.kind) && [node.left, node.right].some(isVersion);

/** A variable or a property with a protocol version, or the beginning of one as text. */
const isVersion = (node: ts.Expression): boolean =>
  ts.isStringLiteralLike(node)
    ? /^20\d\d(?:-|$)/.test(node.text)
    : /(?:protocolVersion|revision\.id)!?$/i.test(node.getText());
