/** The part of CEL that conditions may use: functions in linear time, one level of comprehensions, literal patterns. */
import type { ASTNode } from '@marcbachmann/cel-js';
import { nameHint } from '../../lib/text/nearest-name.ts';

/** Something in a condition that is not allowed, with its place in the text. */
export interface BoundProblem {
  readonly offset: number;
  readonly problem: string;
  readonly hint: string;
}

/** They go through every entry of a list. */
const comprehensions = ['all', 'exists', 'exists_one', 'filter'];
/** Methods with an own version here, which counts its steps. */
export const countedMethods: Readonly<Record<string, string>> = {
  matches: 'countedMatches',
  contains: 'countedContains',
};
const methods = ['startsWith', 'endsWith', 'lowerAscii', 'upperAscii', 'trim', 'size', ...Object.keys(countedMethods)];
const functions = ['has', 'size', 'string', 'int', 'double', 'bool'];

/** A node, however the parser types its operands. */
interface AnyNode {
  readonly op: string;
  readonly args: unknown;
  readonly start: number;
}

const isNode = (value: unknown): value is AnyNode => typeof value === 'object' && value !== null && 'op' in value;

/** Checks a parsed condition, and points its counted methods to their own versions. Returns the first problem. */
export function boundCondition(ast: ASTNode): BoundProblem | undefined {
  return visitNode(ast, 0);
}

function visitNode(node: AnyNode, level: number): BoundProblem | undefined {
  if (node.op === 'call') return visitCall(node, level);
  if (node.op === 'rcall') return visitMethod(node, level);
  return visitAll(operandsOf(node.args), level);
}

/** Operands are nodes, and in maps pairs of them. */
const operandsOf = (args: unknown): readonly AnyNode[] =>
  isNode(args) ? [args] : Array.isArray(args) ? args.flatMap(operandsOf) : [];

/** Every name that stands for a variable. */
export function identifiersIn(node: AnyNode): readonly string[] {
  if (node.op === 'id') return [String(node.args)];
  return operandsOf(node.args).flatMap(identifiersIn);
}

function visitAll(nodes: readonly AnyNode[], level: number): BoundProblem | undefined {
  for (const node of nodes) {
    const problem = visitNode(node, level);
    if (problem !== undefined) return problem;
  }
  return undefined;
}

function visitCall({ args, start }: AnyNode, level: number): BoundProblem | undefined {
  const [name, operands] = args as [string, readonly AnyNode[]];
  if (!functions.includes(name)) return notKnown(start, name, functions);
  return visitAll(operands, level);
}

function visitMethod({ args, start }: AnyNode, level: number): BoundProblem | undefined {
  const call = args as [name: string, receiver: AnyNode, operands: readonly AnyNode[]];
  const [name, receiver, operands] = call;
  const inside = comprehensions.includes(name);
  if (!inside && !methods.includes(name)) return notKnown(start, name, [...methods, ...comprehensions]);
  if (inside && level > 0) {
    const hint = 'Conditions have one level of all, exists, exists_one and filter.';
    return { offset: start, problem: `has ${name} inside another comprehension`, hint };
  }
  const pattern = operands[0];
  if (name === 'matches' && (pattern?.op !== 'value' || typeof pattern.args !== 'string')) {
    const hint = 'Write the pattern as a literal: args.path.matches("^/docs/").';
    return { offset: start, problem: 'has matches with a pattern that is computed', hint };
  }
  const counted = Object.hasOwn(countedMethods, name) ? countedMethods[name] : undefined;
  if (counted !== undefined) call[0] = counted;
  return visitNode(receiver, level) ?? visitAll(operands, inside ? level + 1 : level);
}

const notKnown = (offset: number, name: string, known: readonly string[]): BoundProblem => ({
  offset,
  problem: `uses ${name}(), which conditions do not have`,
  hint: nameHint(name, known),
});
