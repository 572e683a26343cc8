/** Handlers of tools: `sdkHandler` gives them what they get from the SDK. */
import type { Node } from 'oxc-parser';
import { bare, nameOf } from '../syntax/project.ts';
import type { FileChanges } from './changes.ts';
import { addParameter, type FunctionNode, functionOf, isFunction, parameterCountOf, usesOf } from './handlers.ts';

/** What `extra` of `sdkHandler` has, as in SDK v1 and v2. */
const given = new Set([
  'signal',
  'sendRequest',
  'sendNotification',
  'authInfo',
  '_meta',
  'requestId',
  'requestInfo',
  'mcpReq',
  'http',
]);

export function toolHandler(changes: FileChanges, handler: Node, hasArguments: boolean): void {
  const node = bare(handler);
  const known = functionOf(changes, node);
  const extra = known?.params[hasArguments ? 1 : 0];
  if (known !== undefined && extra !== undefined) checkExtra(changes, known, extra);
  // The SDK calls a handler of a tool without a schema with `extra` alone.
  if (!hasArguments && parameterCountOf(changes, node) !== 0) {
    if (isFunction(node)) addParameter(changes, node, '_args');
    else changes.wrap(handler, '(_args, extra) => ', '(extra)');
  }
  changes.wrap(handler, `${changes.need('sdkHandler')}(`, ')');
}

/** Reports what a handler takes from `extra` that only the SDK has. */
function checkExtra(changes: FileChanges, node: FunctionNode, extra: FunctionNode['params'][number]): void {
  if (changes.handled.has(extra)) return;
  changes.handled.add(extra);
  const missing =
    extra.type === 'ObjectPattern'
      ? extra.properties.map((one) => ('key' in one ? nameOf(one.key as never) : '...'))
      : [];
  for (const use of usesOf(changes, extra)) {
    const parent = changes.file.source.parentOf(use);
    if (extra.type !== 'Identifier' || parent?.type !== 'MemberExpression' || parent.object !== use) continue;
    missing.push(nameOf(parent.property as never));
  }
  for (const name of new Set(missing)) {
    if (given.has(name)) continue;
    changes.report(
      extra,
      `the handler uses \`${name}\` of its second argument, which \`sdkHandler\` does not give`,
      'the-server-with-tenon',
    );
  }
}
