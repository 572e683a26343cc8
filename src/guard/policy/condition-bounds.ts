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
/** Methods and functions that read whole texts have an own version here, which counts its steps. */
const counted = (...names: readonly string[]): Readonly<Record<string, string>> =>
  Object.fromEntries(names.map((name) => [name, `counted_${name}`]));
const textMethods = [
  'matches',
  'contains',
  'startsWith',
  'endsWith',
  'lowerAscii',
  'upperAscii',
  'trim',
  'size',
] as const;
export const countedMethods = counted(...textMethods) as Readonly<Record<(typeof textMethods)[number], string>>;
const textFunctions = ['size', 'int', 'double', 'bool'] as const;
export const countedFunctions = counted(...textFunctions) as Readonly<Record<(typeof textFunctions)[number], string>>;
const methods: readonly string[] = textMethods;
const functions: readonly string[] = ['has', 'string', ...textFunctions];

const ownName = (names: Readonly<Record<string, string>>, name: string): string =>
  Object.hasOwn(names, name) ? (names[name] as string) : name;

/** A node, however the parser types its operands. */
interface AnyNode {
  readonly op: string;
  readonly args: unknown;
  readonly start: number;
}

const isNode = (value: unknown): value is AnyNode => typeof value === 'object' && value !== null && 'op' in value;

/** Checks a parsed condition, and points what is counted to its own version. Returns the first problem. */
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
  const call = args as [name: string, operands: readonly AnyNode[]];
  const [name, operands] = call;
  if (!functions.includes(name)) return notKnown(start, name, functions);
  call[0] = ownName(countedFunctions, name);
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
  call[0] = ownName(countedMethods, name);
  return visitNode(receiver, level) ?? visitAll(operands, inside ? level + 1 : level);
}

const notKnown = (offset: number, name: string, known: readonly string[]): BoundProblem => ({
  offset,
  problem: `uses ${name}(), which conditions do not have`,
  hint: nameHint(name, known),
});
