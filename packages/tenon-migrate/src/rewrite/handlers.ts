/** Handlers: their parameters, what they return, and the function behind a name. */
import type { Node, ParamPattern } from 'oxc-parser';
import { bare, type PropertyNode } from '../syntax/project.ts';
import { enclosing } from '../syntax/source-file.ts';
import type { FileChanges } from './changes.ts';

export type FunctionNode = Extract<
  Node,
  { type: 'FunctionDeclaration' | 'FunctionExpression' | 'ArrowFunctionExpression' }
>;

export const isFunction = (node: Node): node is FunctionNode =>
  /^(?:FunctionDeclaration|FunctionExpression|ArrowFunctionExpression)$/.test(node.type);

/** The function that a handler is, if it is written in this file. */
export function functionOf(changes: FileChanges, expression: Node): FunctionNode | undefined {
  const node = bare(expression);
  if (isFunction(node)) return node;
  const binding = node.type === 'Identifier' ? changes.file.scopes.resolve(node) : undefined;
  if (binding === undefined) return undefined;
  if (isFunction(binding.node)) return binding.node;
  const init = binding.node.type === 'VariableDeclarator' && binding.node.init && bare(binding.node.init);
  return init && isFunction(init) ? init : undefined;
}

/** How many parameters a handler has, by its function or its type; `undefined` if neither is here. */
export function parameterCountOf(changes: FileChanges, expression: Node): number | undefined {
  const node = bare(expression);
  const known = functionOf(changes, node);
  if (known !== undefined) return known.params.length;
  const binding = node.type === 'Identifier' ? changes.file.scopes.resolve(node) : undefined;
  const type = binding?.id.type === 'Identifier' ? binding.id.typeAnnotation?.typeAnnotation : undefined;
  return type?.type === 'TSFunctionType' ? type.params.length : undefined;
}

/** The function, if it can be rewritten where it is: nothing else uses it. */
export function ownFunctionOf(changes: FileChanges, expression: Node): FunctionNode | undefined {
  const node = bare(expression);
  const found = functionOf(changes, node);
  if (found === undefined || found === node || node.type !== 'Identifier') return found;
  const binding = changes.file.scopes.resolve(node);
  const isShared = binding === undefined || binding.references.length !== 1 || isExported(changes, binding.node);
  return isShared ? undefined : found;
}

function isExported(changes: FileChanges, node: Node): boolean {
  const statement = node.type === 'VariableDeclarator' ? changes.file.source.parentOf(node) : node;
  return (statement && changes.file.source.parentOf(statement)?.type.startsWith('Export')) === true;
}

/** Puts a parameter before the others. */
export function addParameter(changes: FileChanges, node: FunctionNode, name: string): void {
  const [first] = node.params;
  if (first === undefined) return;
  replaceParameters(changes, node, [name, ...node.params.map((one) => changes.textOf(one))]);
}

/** Writes other parameters, each as text. */
export function replaceParameters(changes: FileChanges, node: FunctionNode, names: readonly string[]): void {
  const [first] = node.params;
  const last = node.params.at(-1);
  if (first === undefined || last === undefined) return;
  // `extra => …` has no parentheses.
  const isBare = node.type === 'ArrowFunctionExpression' && !/\($|[(,]\s*$/.test(beforeOf(changes, node, first));
  const text = names.join(', ');
  changes.replace(first.start, last.end, isBare ? `(${text})` : text);
}

const beforeOf = (changes: FileChanges, node: FunctionNode, first: ParamPattern): string =>
  changes.file.source.text.slice(node.start, first.start);

/** A parameter without its type: it has the one that Tenon gives it. */
export function untyped(changes: FileChanges, param: ParamPattern): string {
  const type = 'typeAnnotation' in param ? param.typeAnnotation : undefined;
  return changes.file.source.text.slice(param.start, type?.start ?? param.end);
}

/** Where the function, or the parameter, of a name is used. */
export function usesOf(changes: FileChanges, param: ParamPattern | undefined): readonly Node[] {
  if (param === undefined) return [];
  return changes.file.scopes.bindings.filter(({ node }) => node === param).flatMap(({ references }) => references);
}

/** What the function returns: its body, or the expressions of its own `return` statements. */
export function returnsOf(changes: FileChanges, node: FunctionNode): Node[] {
  if (node.body === null) return [];
  if (node.type === 'ArrowFunctionExpression' && node.expression) return [node.body];
  return changes.file.source.nodes.flatMap((each) =>
    each.type === 'ReturnStatement' &&
    each.argument !== null &&
    enclosing(changes.file.source, each, isFunction) === node
      ? [each.argument]
      : [],
  );
}

/** A type of the result no longer holds. */
export function removeReturnType(changes: FileChanges, node: FunctionNode): void {
  if (node.returnType) changes.text.remove(node.returnType.start, node.returnType.end);
}

/** Keeps the value of one property of an object, and removes the rest. */
export function unwrapProperty(changes: FileChanges, object: Node, { value }: PropertyNode): void {
  changes.replace(object.start, value.start, changes.commentsIn(object.start, value.start));
  changes.replace(value.end, object.end, changes.commentsIn(value.end, object.end));
}
