/** `new McpServer(…)` becomes `createServer(…)`, its type `Server`, and `connect(stdio)` becomes `serveStdio(server)`. */
import type { Node } from 'oxc-parser';
import { isMcpServer, isNew, sdkName } from '../sdk.ts';
import { bare, follow, keyOf, nameOf, propertyOf } from '../syntax/project.ts';
import type { FileChanges } from './changes.ts';
import { removeConstant } from './constants.ts';
import { short } from './schemas.ts';

export function rewriteServers(changes: FileChanges): void {
  for (const node of changes.file.source.nodes) {
    if (node.type === 'NewExpression' && sdkName(changes.file, node.callee) === 'McpServer') rewriteNew(changes, node);
    else if (node.type === 'TSTypeReference' && sdkName(changes.file, node.typeName) === 'McpServer') {
      changes.replace(node.typeName.start, node.typeName.end, changes.need('Server'));
    } else if (node.type === 'CallExpression') {
      rewriteConnect(changes, node);
      rewriteUpdated(changes, node);
    }
  }
}

type NewNode = Extract<Node, { type: 'NewExpression' }>;
type CallNode = Extract<Node, { type: 'CallExpression' }>;

function rewriteNew(changes: FileChanges, node: NewNode): void {
  const [info, options] = node.arguments;
  if (info === undefined) {
    changes.report(node, 'not converted: `new McpServer()` without a name', 'the-server-with-tenon');
    return;
  }
  changes.replace(
    node.start,
    info.start,
    `${changes.need('createServer')}(${changes.commentsIn(node.start, info.start)}`,
  );
  if (options === undefined) return;
  const instructions = readOptions(changes, options);
  changes.replace(info.end, options.end, changes.commentsIn(info.end, options.start));
  if (instructions === undefined) return;
  const object = bare(info);
  const last = object.type === 'ObjectExpression' ? object.properties.at(-1) : undefined;
  if (last !== undefined) changes.wrap(last, '', `, ${instructions}`);
  else changes.wrap(info, '{ ...', `, ${instructions} }`);
}

/** The option that Tenon has in the definition, as text; reports the others. */
function readOptions(changes: FileChanges, options: Node): string | undefined {
  const { file, node } = follow(changes.project, { file: changes.file, node: options });
  if (node.type !== 'ObjectExpression' || file !== changes.file) {
    changes.report(
      options,
      `the options \`${short(changes.textOf(options))}\` could not be followed`,
      'what-tenon-migrate-reports',
    );
    return undefined;
  }
  for (const one of node.properties) {
    const name = one.type === 'Property' ? (keyOf(one) ?? '') : '...';
    if (name === 'instructions') continue;
    if (name === 'capabilities' && one.type === 'Property') readCapabilities(changes, one.value);
    else changes.report(one, `the option \`${name}\` of \`McpServer\` was removed`, 'what-tenon-migrate-reports');
  }
  const property = propertyOf(node, 'instructions');
  if (property === undefined) return undefined;
  return property.shorthand ? 'instructions' : `instructions: ${changes.textOf(property.value)}`;
}

/** What a server of Tenon declares by itself. */
const declared = new Set(['tools', 'prompts', 'resources', 'logging', 'completions']);

function readCapabilities(changes: FileChanges, capabilities: Node): void {
  const { node } = follow(changes.project, { file: changes.file, node: capabilities });
  const names =
    node.type === 'ObjectExpression'
      ? node.properties.map((one) => (one.type === 'Property' ? (keyOf(one) ?? '') : '...'))
      : ['...'];
  const others = names.filter((name) => !declared.has(name));
  if (others.length > 0 || /\bfalse\b/.test(changes.textOf(capabilities))) {
    const what = others.length > 0 ? others.join(', ') : 'with `false`';
    changes.report(
      capabilities,
      `capabilities (${what}) were removed: a server of Tenon declares what it has`,
      'what-a-port-has-to-decide',
    );
  }
}

/** `await server.connect(new StdioServerTransport())`. */
function rewriteConnect(changes: FileChanges, call: CallNode): void {
  const [transport] = call.arguments;
  const { callee } = call;
  if (callee.type !== 'MemberExpression' || nameOf(callee.property as never) !== 'connect' || transport === undefined)
    return;
  const made = follow(changes.project, { file: changes.file, node: transport });
  const isStdio = isNew(made, 'StdioServerTransport') && isMcpServer(changes.file, callee.object) !== false;
  if (!isStdio || made.node.type !== 'NewExpression' || made.file !== changes.file) return;
  const { source } = changes.file;
  const parent = source.parentOf(call);
  if (!/^(?:Await|ExpressionStatement)/.test(parent?.type ?? '') || made.node.arguments.length > 0) {
    changes.report(call, `\`${short(changes.textOf(call))}\`: write \`serveStdio(server)\``, 'names-side-by-side');
    return;
  }
  changes.handled.add(made.node);
  const start = parent?.type === 'AwaitExpression' ? parent.start : call.start;
  changes.replace(start, callee.object.start, `${changes.need('serveStdio')}(`);
  changes.replace(callee.object.end, call.end, ')');
  removeConstant(changes, transport);
}

/** `server.server.sendResourceUpdated({ uri })` becomes `server.sendResourceUpdated(uri)`. */
function rewriteUpdated(changes: FileChanges, call: CallNode): void {
  const [given] = call.arguments;
  const { callee } = call;
  if (callee.type !== 'MemberExpression' || nameOf(callee.property as never) !== 'sendResourceUpdated') return;
  const { object } = callee;
  if (object.type !== 'MemberExpression' || nameOf(object.property as never) !== 'server') return;
  const parent = changes.file.source.parentOf(call);
  const uri =
    given?.type === 'ObjectExpression' && given.properties.length === 1 ? propertyOf(given, 'uri') : undefined;
  const isServer = isMcpServer(changes.file, object.object) !== false;
  if (
    !isServer ||
    uri === undefined ||
    given === undefined ||
    !/^(?:Await|ExpressionStatement)/.test(parent?.type ?? '')
  )
    return;
  changes.handled.add(callee);
  changes.text.remove(object.object.end, object.end);
  changes.replace(given.start, uri.value.start, '');
  changes.replace(uri.value.end, given.end, '');
}
