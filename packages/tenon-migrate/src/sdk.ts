/** What a file takes from the official SDK, version 1 or 2. */
import type { Node } from 'oxc-parser';
import { bare, nameOf, type Place, type ProjectFile } from './syntax/project.ts';
import type { Binding } from './syntax/scopes.ts';
import { enclosing } from './syntax/source-file.ts';

export const isSdk = (specifier: string): boolean =>
  /^@modelcontextprotocol\/(?:sdk|server|client|core|node|express|hono)(?:\/|$)/.test(specifier);

/** The module that an import comes from. */
export function moduleOf(file: ProjectFile, { kind, node }: Binding): string | undefined {
  if (kind !== 'import') return undefined;
  const declaration = file.source.parentOf(node);
  return declaration?.type === 'ImportDeclaration' ? declaration.source.value : undefined;
}

/** The name that the SDK exports, if an identifier is an import from it. */
export function sdkName(file: ProjectFile, node: Node): string | undefined {
  if (node.type !== 'Identifier') return undefined;
  const binding = file.scopes.resolve(node);
  if (binding === undefined || binding.node.type !== 'ImportSpecifier') return undefined;
  return isSdk(moduleOf(file, binding) ?? '') ? nameOf(binding.node.imported) : undefined;
}

/** Whether any statement or call of a file loads the SDK. */
export const usesSdk = ({ source }: ProjectFile): boolean => source.nodes.some((node) => isSdk(loadedBy(node) ?? ''));

/** The module that a statement, `import()` or `require()` loads. */
export function loadedBy(node: Node): string | undefined {
  const isStatic = /^(?:Import|ExportNamed|ExportAll)Declaration$/.test(node.type);
  const isRequire =
    node.type === 'CallExpression' && node.callee.type === 'Identifier' && node.callee.name === 'require';
  const named =
    isStatic || node.type === 'ImportExpression'
      ? (node as { readonly source?: Node | null }).source
      : isRequire
        ? node.arguments[0]
        : undefined;
  return named?.type === 'Literal' ? String(named.value) : undefined;
}

/** Whether an expression is `new NAME(…)` of the SDK. */
export function isNew({ file, node }: Place, name: string): boolean {
  const value = bare(node);
  return value.type === 'NewExpression' && sdkName(file, value.callee) === name;
}

/** Whether an expression is an `McpServer`: certainly, certainly not, or as far as this file shows. */
export function isMcpServer(file: ProjectFile, expression: Node): boolean | undefined {
  const node = bare(expression);
  if (node.type === 'Identifier') {
    const binding = file.scopes.resolve(node);
    return binding === undefined ? false : isServerBinding(file, binding);
  }
  if (node.type !== 'MemberExpression' || node.object.type !== 'ThisExpression') return undefined;
  return isServerMember(file, node, nameOf(node.property as never));
}

function isServerBinding(file: ProjectFile, binding: Binding): boolean | undefined {
  const { node, id } = binding;
  const typed = typeIn(file, id);
  if (typed !== undefined) return typed;
  if (node.type === 'ImportSpecifier') return isSdk(moduleOf(file, binding) ?? '') ? false : undefined;
  if (node.type !== 'VariableDeclarator' || node.id.type !== 'Identifier') return undefined;
  if (node.init !== null) return isServerValue(file, node.init);
  return binding.references.some((one) => isAssigned(file, one)) ? true : undefined;
}

function isServerValue(file: ProjectFile, expression: Node): boolean | undefined {
  const value = bare(expression);
  if (isNew({ file, node: value }, 'McpServer')) return true;
  return /^(?:New|Object|Array|Literal|Function|Arrow|Class|Template)/.test(value.type) ? false : undefined;
}

/** `this.server`: declared with the type, or assigned a new server anywhere in its class. */
function isServerMember(file: ProjectFile, member: Node, name: string): boolean | undefined {
  const owner = enclosing(file.source, member, ({ type }) => /^Class(?:Declaration|Expression)$/.test(type));
  const inside = file.source.nodes.filter(
    ({ start, end }) => owner !== undefined && start >= owner.start && end <= owner.end,
  );
  for (const node of inside) {
    if (node.type === 'PropertyDefinition' && nameOf(node.key as never) === name) {
      const known = typeIn(file, node) ?? (node.value === null ? undefined : isServerValue(file, node.value));
      if (known !== undefined) return known;
    }
    if (node.type === 'TSParameterProperty' && node.parameter.type === 'Identifier' && node.parameter.name === name) {
      const known = typeIn(file, node.parameter);
      if (known !== undefined) return known;
    }
    if (node.type === 'MemberExpression' && nameOf(node.property as never) === name && isAssigned(file, node)) {
      return true;
    }
  }
  return undefined;
}

function isAssigned(file: ProjectFile, target: Node): boolean {
  const parent = file.source.parentOf(target);
  return (
    parent?.type === 'AssignmentExpression' && parent.left === target && isServerValue(file, parent.right) === true
  );
}

/** Whether the type that is written beside a name is `McpServer`; `undefined` without a type. */
function typeIn(file: ProjectFile, node: Node): boolean | undefined {
  const type = 'typeAnnotation' in node ? node.typeAnnotation : undefined;
  if (type?.type !== 'TSTypeAnnotation') return undefined;
  const types = type.typeAnnotation.type === 'TSUnionType' ? type.typeAnnotation.types : [type.typeAnnotation];
  if (types.some((one) => one.type === 'TSAnyKeyword')) return undefined;
  return types.some((one) => one.type === 'TSTypeReference' && sdkName(file, one.typeName) === 'McpServer');
}
