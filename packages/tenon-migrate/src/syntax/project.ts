/** The files of one run, and constants followed through them to their values. */
import { posix } from 'node:path';
import type { Expression, Node } from 'oxc-parser';
import { type Binding, readScopes, type Scopes } from './scopes.ts';
import type { SourceFile } from './source-file.ts';

/** A node, and the file that it is in. */
export interface Place<N extends Node = Node> {
  readonly file: ProjectFile;
  readonly node: N;
}

export interface ProjectFile {
  readonly source: SourceFile;
  readonly scopes: Scopes;
}

export type Project = ReadonlyMap<string, ProjectFile>;

/** How many names and files a constant is followed through. */
const maxSteps = 20;

export const createProject = (sources: readonly SourceFile[]): Project =>
  new Map(sources.map((source) => [source.path, { source, scopes: readScopes(source) }]));

/** Types and assertions around an expression say nothing about its value. */
export function bare(node: Node): Node {
  const isWrapped = /^(?:TS(?:As|Satisfies|NonNull|Instantiation)Expression|TSTypeAssertion|ParenthesizedExpression)$/;
  return isWrapped.test(node.type) && 'expression' in node ? bare(node.expression as Expression) : node;
}

/** The value of an expression, as far as constants, imports and properties of objects lead to it. */
export function follow(project: Project, place: Place, steps = maxSteps): Place {
  const node = bare(place.node);
  const here = { file: place.file, node };
  if (steps === 0) return here;
  if (node.type === 'Identifier') {
    const binding = place.file.scopes.resolve(node);
    const next = binding && valueOfBinding(project, place.file, binding, steps - 1);
    return next === undefined ? here : follow(project, next, steps - 1);
  }
  if (node.type === 'MemberExpression' && node.property.type === 'Identifier' && !node.computed) {
    const object = follow(project, { file: place.file, node: node.object }, steps - 1);
    const value = object.node.type === 'ObjectExpression' ? propertyOf(object.node, node.property.name) : undefined;
    return value === undefined ? here : follow(project, { file: object.file, node: value.value }, steps - 1);
  }
  return here;
}

function valueOfBinding(project: Project, file: ProjectFile, binding: Binding, steps: number): Place | undefined {
  const { node, kind } = binding;
  if (kind === 'function' || kind === 'class') return { file, node };
  if (kind === 'import') return importedValue(project, file, node, steps);
  if (node.type !== 'VariableDeclarator' || node.id.type !== 'Identifier' || node.init === null) return undefined;
  const declaration = file.source.parentOf(node);
  return declaration?.type === 'VariableDeclaration' && declaration.kind === 'const'
    ? { file, node: node.init }
    : undefined;
}

function importedValue(project: Project, file: ProjectFile, specifier: Node, steps: number): Place | undefined {
  const declaration = file.source.parentOf(specifier);
  if (declaration?.type !== 'ImportDeclaration') return undefined;
  const target = fileOf(project, file, declaration.source.value);
  if (target === undefined) return undefined;
  const looked = new Set<string>();
  if (specifier.type === 'ImportDefaultSpecifier') return exported(project, target, 'default', steps, looked);
  if (specifier.type !== 'ImportSpecifier') return undefined;
  return exported(project, target, nameOf(specifier.imported), steps, looked);
}

/** The file that a relative import names: `./a.js` may be `a.ts`. */
export function fileOf(project: Project, from: ProjectFile, specifier: string): ProjectFile | undefined {
  if (!specifier.startsWith('.')) return undefined;
  const path = posix.join(posix.dirname(from.source.path), specifier);
  const stem = path.replace(/\.([cm]?)jsx?$/, '');
  const kind = /\.([cm])js$/.exec(path)?.[1] ?? '';
  const endings = [`.${kind}ts`, '.tsx', '.js', '.mjs', '.jsx', '/index.ts', '/index.js'];
  return [path, ...endings.map((ending) => stem + ending)].map((one) => project.get(one)).find(Boolean);
}

/** `looked` has the files and names that were looked at: files may export everything of each other. */
function exported(
  project: Project,
  file: ProjectFile,
  name: string,
  steps: number,
  looked: Set<string>,
): Place | undefined {
  const place = `${name} ${file.source.path}`;
  if (steps === 0 || looked.has(place)) return undefined;
  looked.add(place);
  for (const node of file.source.program.body) {
    if (node.type === 'ExportDefaultDeclaration' && name === 'default') return { file, node: node.declaration };
    if (node.type === 'ExportNamedDeclaration') {
      const one = node.specifiers.find((each) => nameOf(each.exported) === name);
      if (one === undefined) continue;
      if (node.source === null) return one.local.type === 'Identifier' ? { file, node: one.local } : undefined;
      const target = fileOf(project, file, node.source.value);
      return target && exported(project, target, nameOf(one.local), steps - 1, looked);
    }
    if (node.type === 'ExportAllDeclaration' && node.exported === null) {
      const target = fileOf(project, file, node.source.value);
      const found = target && exported(project, target, name, steps - 1, looked);
      if (found !== undefined) return found;
    }
  }
  const own = file.scopes.bindings.find((binding) => binding.name === name && isExported(file, binding));
  return own && valueOfBinding(project, file, own, steps - 1);
}

function isExported(file: ProjectFile, { node, kind }: Binding): boolean {
  const statement = kind === 'variable' ? file.source.parentOf(node) : node;
  const parent = statement && file.source.parentOf(statement);
  return parent?.type === 'ExportNamedDeclaration';
}

export const nameOf = (node: { readonly type: string; readonly name?: string; readonly value?: unknown }): string =>
  node.type === 'Identifier' ? (node.name ?? '') : String(node.value);

type ObjectNode = Extract<Node, { type: 'ObjectExpression' }>;
export type PropertyNode = Extract<ObjectNode['properties'][number], { type: 'Property' }>;

/** The property of an object with this name, if it is written there. */
export const propertyOf = (object: ObjectNode, name: string): PropertyNode | undefined =>
  object.properties.find((one): one is PropertyNode => one.type === 'Property' && keyOf(one) === name);

/** The name of a property, if it is fixed. */
export const keyOf = ({ key, computed }: PropertyNode): string | undefined =>
  computed || (key.type !== 'Identifier' && key.type !== 'Literal') ? undefined : nameOf(key);
