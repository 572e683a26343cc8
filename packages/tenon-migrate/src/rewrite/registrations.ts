/** Calls that register something at a server of the SDK, with the parts of each. */
import type { Node } from 'oxc-parser';
import { isMcpServer } from '../sdk.ts';
import { bare, follow, nameOf } from '../syntax/project.ts';
import type { FileChanges } from './changes.ts';

type CallNode = Extract<Node, { type: 'CallExpression' }>;

/** A registration: `server.registerTool(name, config, handler)`, or the older forms without a configuration. */
export interface Registration {
  readonly call: CallNode;
  readonly method: string;
  readonly name: Node;
  /** What is between the name and the handler. */
  readonly middle: readonly Node[];
  readonly handler: Node;
}

const methods = new Set(['registerTool', 'registerPrompt', 'registerResource', 'tool', 'prompt', 'resource']);

/** The registration that a call is, if it is one. */
export function registrationOf(changes: FileChanges, call: Node): Registration | undefined {
  if (call.type !== 'CallExpression' || call.callee.type !== 'MemberExpression' || call.callee.computed)
    return undefined;
  const method = nameOf(call.callee.property);
  const [name, ...others] = call.arguments;
  const handler = others.pop() ?? (name?.type === 'SpreadElement' ? name : undefined);
  if (!methods.has(method) || name === undefined || handler === undefined) return undefined;
  const isServer = isMcpServer(changes.file, call.callee.object);
  // Without types only the long names are clear, or a short one with a name and a function.
  const isClear = method.startsWith('register') || (isText(changes, name) && isCallable(changes, handler));
  if (isServer === false || (isServer === undefined && !isClear)) return undefined;
  return { call, method, name, middle: others, handler };
}

const isText = (changes: FileChanges, node: Node): boolean => {
  const { type } = follow(changes.project, { file: changes.file, node }).node;
  return type === 'Literal' || type === 'TemplateLiteral';
};

const isCallable = (changes: FileChanges, node: Node): boolean =>
  /Function/.test(follow(changes.project, { file: changes.file, node: bare(node) }).node.type);

/** Why a registration stays as it is: something uses its result, or its arguments are not all there. */
export function whyNot(
  changes: FileChanges,
  { call, name, middle, handler, method }: Registration,
): string | undefined {
  if ([name, ...middle, handler].some(({ type }) => type === 'SpreadElement')) {
    return `\`${method}(...)\` with spread arguments`;
  }
  if (call.optional || (call.callee.type === 'MemberExpression' && call.callee.optional)) {
    return `\`?.${method}()\``;
  }
  const parent = changes.file.source.parentOf(call);
  const isStatement = /^(?:ExpressionStatement|ReturnStatement|ArrowFunctionExpression)$/.test(parent?.type ?? '');
  return isStatement ? undefined : `what \`${method}()\` returns is used: change or remove it with \`server.update()\``;
}

/** A name that the call does not use for something else. */
export const draftName = (changes: FileChanges, call: Node): string =>
  /\bdraft\b/.test(changes.textOf(call)) && changes.file.scopes.names.has('draft') ? 'features' : 'draft';
