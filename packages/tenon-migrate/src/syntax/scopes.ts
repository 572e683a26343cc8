/** Which declaration a name belongs to, and where a declaration is used. */
import type { BindingPattern, Node, ParamPattern } from 'oxc-parser';
import { enclosing, type SourceFile } from './source-file.ts';

type Identifier = Extract<Node, { type: 'Identifier' }>;

export interface Binding {
  readonly name: string;
  readonly kind: 'import' | 'variable' | 'parameter' | 'function' | 'class' | 'type';
  /** The identifier that declares it. */
  readonly id: Node;
  /** The import specifier, declarator, parameter, function or class. */
  readonly node: Node;
  readonly references: Identifier[];
}

export interface Scopes {
  /** The declaration of a name where it is used; `undefined` for globals. */
  resolve(identifier: Identifier): Binding | undefined;
  /** All declarations of a file. */
  readonly bindings: readonly Binding[];
  /** Names that are declared or used anywhere in the file, properties left out. */
  readonly names: ReadonlySet<string>;
}

const blocks =
  /^(?:Program|BlockStatement|StaticBlock|For(?:In|Of)?Statement|SwitchStatement|CatchClause|TSModuleBlock)$/;
const functions = /^(?:FunctionDeclaration|FunctionExpression|ArrowFunctionExpression)$/;

const isFunction = (node: Node): boolean => functions.test(node.type);
const isScope = (node: Node): boolean => isFunction(node) || blocks.test(node.type) || isClass(node);
const isClass = (node: Node): boolean => node.type === 'ClassDeclaration' || node.type === 'ClassExpression';
const holdsVars = (node: Node): boolean => isFunction(node) || node.type === 'Program' || node.type === 'StaticBlock';

export function readScopes(source: SourceFile): Scopes {
  const scopes = new Map<Node, Map<string, Binding>>();
  const bindings: Binding[] = [];
  const declared = new Set<Node>();
  const declare = (scope: Node | undefined, kind: Binding['kind'], id: Identifier, node: Node): void => {
    const binding: Binding = { name: id.name, kind, id, node, references: [] };
    const own = scopes.get(scope ?? source.program) ?? new Map<string, Binding>();
    scopes.set(scope ?? source.program, own.set(id.name, binding));
    bindings.push(binding);
    declared.add(id);
  };
  for (const node of source.nodes) declareIn(source, node, declare);
  const resolve = (identifier: Identifier): Binding | undefined => {
    for (let each: Node | undefined = identifier; each !== undefined; each = source.parentOf(each)) {
      const found = scopes.get(each)?.get(identifier.name);
      if (found !== undefined) return found;
    }
    return undefined;
  };
  const names = new Set(bindings.map(({ name }) => name));
  for (const node of source.nodes) {
    if (node.type !== 'Identifier' || declared.has(node) || !isReference(source, node)) continue;
    names.add(node.name);
    resolve(node)?.references.push(node);
  }
  return { resolve, bindings, names };
}

type Declare = (scope: Node | undefined, kind: Binding['kind'], id: Identifier, node: Node) => void;

function declareIn(source: SourceFile, node: Node, declare: Declare): void {
  const block = (): Node | undefined => enclosing(source, node, isScope);
  if (node.type === 'ImportDeclaration') {
    for (const one of node.specifiers) declare(source.program, 'import', one.local, one);
  } else if (node.type === 'VariableDeclaration') {
    const scope = node.kind === 'var' ? enclosing(source, node, holdsVars) : block();
    for (const one of node.declarations) for (const id of namesIn(one.id)) declare(scope, 'variable', id, one);
  } else if (node.type === 'FunctionDeclaration' || node.type === 'FunctionExpression') {
    if (node.id !== null) declare(node.type === 'FunctionDeclaration' ? block() : node, 'function', node.id, node);
    declareParameters(node, node.params, declare);
  } else if (node.type === 'ArrowFunctionExpression') {
    declareParameters(node, node.params, declare);
  } else if (node.type === 'ClassDeclaration' || node.type === 'ClassExpression') {
    if (node.id !== null) declare(node.type === 'ClassDeclaration' ? block() : node, 'class', node.id, node);
  } else if (node.type === 'CatchClause') {
    for (const id of node.param === null ? [] : namesIn(node.param)) declare(node, 'parameter', id, node);
  } else if (/^TS(?:Interface|TypeAlias|Enum)Declaration$/.test(node.type) && 'id' in node) {
    if (node.id?.type === 'Identifier') declare(block(), 'type', node.id, node);
  }
}

function declareParameters(owner: Node, params: readonly ParamPattern[], declare: Declare): void {
  for (const param of params) {
    const pattern = param.type === 'TSParameterProperty' ? param.parameter : param;
    for (const id of namesIn(pattern.type === 'RestElement' ? pattern.argument : pattern)) {
      declare(owner, 'parameter', id, param);
    }
  }
}

/** The names that a pattern declares. */
function namesIn(pattern: BindingPattern): Identifier[] {
  if (pattern.type === 'Identifier') return [pattern];
  if (pattern.type === 'AssignmentPattern') return namesIn(pattern.left);
  if (pattern.type === 'ArrayPattern') {
    return pattern.elements.flatMap((one) =>
      one === null ? [] : namesIn(one.type === 'RestElement' ? one.argument : one),
    );
  }
  return pattern.properties.flatMap((one) => namesIn(one.type === 'RestElement' ? one.argument : one.value));
}

/** Names of properties, labels and members are no references. */
function isReference(source: SourceFile, node: Node): boolean {
  const parent = source.parentOf(node);
  if (parent === undefined) return false;
  if (parent.type === 'MemberExpression') return parent.object === node || parent.computed;
  if ('key' in parent && parent.key === node) return 'computed' in parent && parent.computed === true;
  if (parent.type === 'ExportSpecifier') return parent.local === node && !isReExport(source, parent);
  if (parent.type === 'TSQualifiedName') return parent.left === node;
  return !/^(?:Import.*|LabeledStatement|BreakStatement|ContinueStatement|MetaProperty|TSEnumMember|TSTypeParameter)$/.test(
    parent.type,
  );
}

function isReExport(source: SourceFile, specifier: Node): boolean {
  const parent = source.parentOf(specifier);
  return parent?.type === 'ExportNamedDeclaration' && parent.source !== null;
}
