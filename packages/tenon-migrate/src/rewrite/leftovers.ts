/** What is left for a person: everything of the SDK that no rule rewrites, with the place and the way to go. */
import type { Node } from 'oxc-parser';
import { isMcpServer, isSdk, loadedBy, sdkName } from '../sdk.ts';
import { bare, nameOf } from '../syntax/project.ts';
import { enclosing } from '../syntax/source-file.ts';
import type { FileChanges, Section } from './changes.ts';
import { short } from './schemas.ts';

type Advice = readonly [what: string, section: Section];

/** Members of an `McpServer` and of its `server`, and what to write instead. */
const members: Readonly<Record<string, Advice>> = {
  setRequestHandler: [
    'the definition has the handlers of methods; extensions have methods of their own',
    'what-a-port-has-to-decide',
  ],
  setNotificationHandler: [
    'notifications of clients are handled by Tenon; roots: `onRootsListChanged`',
    'what-a-port-has-to-decide',
  ],
  registerCapabilities: ['remove it: a server declares what it has', 'what-a-port-has-to-decide'],
  getClientCapabilities: ['ask in a handler: `ctx.clientSupports(…)`', 'the-server-with-tenon'],
  getClientVersion: ['in a handler: `ctx.caller.clientInfo`', 'the-server-with-tenon'],
  oninitialized: ['a server has many clients: ask in a handler', 'what-a-port-has-to-decide'],
  onclose: ['`closed` of the service that `serveStdio` or `serveHttp` returns', 'names-side-by-side'],
  onerror: ['`onError` and `onWarning` of `createServer`', 'names-side-by-side'],
  elicitInput: ['`ctx.elicit(…)` in a handler', 'the-server-with-tenon'],
  createMessage: ['`ctx.sample(…)` in a handler', 'the-server-with-tenon'],
  listRoots: ['`ctx.listRoots()` in a handler', 'the-server-with-tenon'],
  sendLoggingMessage: [
    '`ctx.log(level, data)` in a handler, `server.log(level, data)` elsewhere',
    'the-server-with-tenon',
  ],
  sendResourceUpdated: ['`server.sendResourceUpdated(uri)`', 'names-side-by-side'],
  sendToolListChanged: ['remove it: `server.update()` notifies', 'names-side-by-side'],
  sendPromptListChanged: ['remove it: `server.update()` notifies', 'names-side-by-side'],
  sendResourceListChanged: ['remove it: `server.update()` notifies', 'names-side-by-side'],
  registerToolTask: ['a tool with `task`: see Tasks', 'what-a-port-has-to-decide'],
  isConnected: ['a server has many connections', 'names-side-by-side'],
  connect: ['`serveHttp(server)`, `toNodeHandler(server)` or `serveStdio(server)`', 'names-side-by-side'],
  close: ['`close()` of the service that `serveStdio` or `serveHttp` returns', 'names-side-by-side'],
  transport: ['a server has many connections; in a handler: `ctx.caller`', 'names-side-by-side'],
  server: ['Tenon has one server object', 'names-side-by-side'],
};

/** Values of the SDK, and what to write instead. */
const values: readonly (readonly [name: RegExp, what: string, section: Section])[] = [
  [
    /^Server$/,
    'handlers by method: serve it with `fromOfficial` of `tenon/official`, or write a definition',
    'what-a-port-has-to-decide',
  ],
  [/^StdioServerTransport$/, '`serveStdio(server)`', 'names-side-by-side'],
  [
    /ServerTransport$/,
    '`serveHttp(server)`, `toNodeHandler(server)` or `toFetchHandler(server)`',
    'names-side-by-side',
  ],
  [/^(?:McpError|ProtocolError|ErrorCode)$/, '`rpcError(name, …)` or `ToolError`', 'the-server-with-tenon'],
  [/^(?:completable|ResourceTemplate)$/, '`complete` beside the schema, `resourceTemplate()`', 'the-server-with-tenon'],
  [/^Client$|ClientTransport$/, 'a client: `connect(target)`', 'names-side-by-side'],
  [/^McpServer$/, '`createServer(…)`', 'the-server-with-tenon'],
];

export function reportLeftovers(changes: FileChanges): void {
  const reported: Node[] = [];
  const inside = (node: Node): boolean => reported.some(({ start, end }) => node.start >= start && node.end <= end);
  for (const node of changes.file.source.nodes) {
    if (inside(node)) continue;
    const advice = memberAdvice(changes, node) ?? valueAdvice(changes, node) ?? loadAdvice(node);
    if (advice === undefined) continue;
    const whole = wholeOf(changes, node);
    // The handler of a call has places of its own.
    reported.push(whole.type === 'CallExpression' ? { ...whole.callee } : whole);
    if (whole.type === 'CallExpression') reported.push(...whole.arguments.filter(({ type }) => type === 'Identifier'));
    changes.report(node, `\`${headOf(changes, whole)}\`: ${advice[0]}`, advice[1]);
  }
}

function memberAdvice(changes: FileChanges, node: Node): Advice | undefined {
  if (node.type !== 'MemberExpression' || node.computed || changes.handled.has(node)) return undefined;
  const name = nameOf(node.property as never);
  const object = bare(node.object);
  const isLowLevel = object.type === 'MemberExpression' && nameOf(object.property as never) === 'server';
  const advice = Object.hasOwn(members, name) ? members[name] : lowLevelAdvice(name, isLowLevel && object.object);
  if (advice === undefined) return undefined;
  const isServer = isMcpServer(changes.file, isLowLevel ? object.object : object);
  if (isServer === false || isConverted(changes, node)) return undefined;
  // `server.close()` of an unknown object says nothing; `server.server.close()` does.
  const isCommon = /^(?:connect|close|transport|server|onclose|onerror)$/.test(name);
  const isNamed = object.type === 'Identifier' && /server/i.test(object.name) && !isCommon;
  return isServer === true || isLowLevel || isNamed || name === 'registerToolTask' ? advice : undefined;
}

/** Of `server.server.NAME`, where the name of the server says what it is: such a member is of nothing that is left. */
function lowLevelAdvice(name: string, server: Node | false): Advice | undefined {
  const isNamed = server !== false && server.type === 'Identifier' && /server|mcp/i.test(server.name);
  if (!isNamed) return undefined;
  return name === 'notification'
    ? ['`sendNotification` of the second argument; updates: `server.sendResourceUpdated(uri)`', 'names-side-by-side']
    : members.server;
}

/** Part of a call that was rewritten. */
const isConverted = (changes: FileChanges, node: Node): boolean => {
  const parent = changes.file.source.parentOf(node);
  if (parent?.type === 'MemberExpression' && parent.object === node) {
    return changes.handled.has(parent) || Object.hasOwn(members, nameOf(parent.property as never));
  }
  const [transport] = parent?.type === 'CallExpression' ? parent.arguments : [];
  if (transport === undefined) return false;
  const made = transport.type === 'Identifier' ? initOf(changes, transport) : transport;
  return made !== undefined && changes.handled.has(made);
};

function initOf(changes: FileChanges, node: Node): Node | undefined {
  const binding = node.type === 'Identifier' ? changes.file.scopes.resolve(node) : undefined;
  return binding?.node.type === 'VariableDeclarator' ? (binding.node.init ?? undefined) : undefined;
}

function valueAdvice(changes: FileChanges, node: Node): Advice | undefined {
  const name = sdkName(changes.file, node);
  const parent = changes.file.source.parentOf(node);
  if (name === undefined || parent === undefined || changes.handled.has(parent)) return undefined;
  if (/^(?:Import|TS)/.test(parent.type)) return undefined;
  if (name === 'McpServer' && parent.type === 'NewExpression' && parent.arguments.length > 0) return undefined;
  if (name === 'ResourceTemplate' && isRegistered(changes, parent)) return undefined;
  if (name === 'completable' && parent.type === 'CallExpression' && isInShape(changes, parent)) return undefined;
  const found = values.find(([pattern]) => pattern.test(name));
  return found && [found[1], found[2]];
}

/** Ways to load the SDK that are not followed. */
function loadAdvice(node: Node): Advice | undefined {
  if (!isSdk(loadedBy(node) ?? '')) return undefined;
  const isFollowed =
    node.type === 'ImportDeclaration' && node.specifiers.every(({ type }) => type === 'ImportSpecifier');
  return isFollowed
    ? undefined
    : [
        'only names of `import { … }` are followed: `require`, `import()`, `import *` and re-exports stay',
        'what-tenon-migrate-reports',
      ];
}

const isRegistered = (changes: FileChanges, node: Node): boolean => {
  const parent = changes.file.source.parentOf(node);
  return parent !== undefined && changes.handled.has(parent);
};

const isInShape = (changes: FileChanges, node: Node): boolean =>
  enclosing(changes.file.source, node, (one) => changes.handled.has(one)) !== undefined;

/** The call or the assignment that a member is used in. */
function wholeOf(changes: FileChanges, node: Node): Node {
  const parent = changes.file.source.parentOf(node);
  const isCallee = (parent?.type === 'CallExpression' || parent?.type === 'NewExpression') && parent.callee === node;
  return parent !== undefined && (isCallee || parent.type === 'AssignmentExpression') ? parent : node;
}

function headOf(changes: FileChanges, whole: Node): string {
  if (whole.type === 'AssignmentExpression') return `${short(changes.textOf(whole.left))} = …`;
  if (whole.type === 'NewExpression') return `new ${short(changes.textOf(whole.callee))}(…)`;
  if (whole.type !== 'CallExpression') return short(changes.textOf(whole));
  const [first] = whole.arguments;
  const shown =
    first?.type === 'Identifier'
      ? `${changes.textOf(first)}${whole.arguments.length > 1 ? ', …' : ''}`
      : first
        ? '…'
        : '';
  return `${short(changes.textOf(whole.callee))}(${shown})`;
}
