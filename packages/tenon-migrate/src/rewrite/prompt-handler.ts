/** Handlers of prompts: their result becomes `promptResult(…)`. */
import type { Node } from 'oxc-parser';
import { bare } from '../syntax/project.ts';
import type { FileChanges } from './changes.ts';
import {
  addParameter,
  type FunctionNode,
  ownFunctionOf,
  parameterCountOf,
  removeReturnType,
  replaceParameters,
  returnsOf,
  untyped,
  usesOf,
} from './handlers.ts';

export function promptHandler(changes: FileChanges, handler: Node, hasArguments: boolean): void {
  const own = ownFunctionOf(changes, handler);
  if (own === undefined) return adapt(changes, handler, hasArguments);
  checkContext(changes, own, own.params[hasArguments ? 1 : 0]);
  if (!hasArguments) addParameter(changes, own, '_args');
  else if (own.params[1] !== undefined)
    replaceParameters(
      changes,
      own,
      own.params.map((one, index) => (index === 1 ? untyped(changes, one) : changes.textOf(one))),
    );
  removeReturnType(changes, own);
  for (const value of returnsOf(changes, own)) {
    const result = changes.need('promptResult');
    if (bare(value).type === 'ObjectExpression') changes.wrap(value, `${result}(`, ')');
    else if (own.async) changes.wrap(value, `${result}(await `, ')');
    else changes.wrap(value, 'Promise.resolve(', `).then(${result})`);
  }
}

/** A handler that is written elsewhere, or used twice, stays as it is. */
function adapt(changes: FileChanges, handler: Node, hasArguments: boolean): void {
  const count = parameterCountOf(changes, handler) ?? (hasArguments ? 2 : 1);
  const given = (hasArguments ? ['args', 'ctx'] : ['ctx']).slice(0, count);
  const params = given.length === 0 ? '' : hasArguments ? given.join(', ') : '_args, ctx';
  changes.wrap(handler, `async (${params}) => ${changes.need('promptResult')}(await `, `(${given.join(', ')}))`);
  if (given.includes('ctx')) reportContext(changes, handler);
}

/** Reports a handler of a prompt or a resource that uses its `extra`. */
export function checkContext(changes: FileChanges, node: FunctionNode, extra?: FunctionNode['params'][number]): void {
  if (extra !== undefined && usesOf(changes, extra).length > 0) reportContext(changes, extra, node);
}

function reportContext(changes: FileChanges, place: Node, node: Node = place): void {
  if (changes.handled.has(node)) return;
  changes.handled.add(node);
  changes.report(place, 'this handler gets the context of Tenon instead of `extra`', 'the-server-with-tenon');
}
