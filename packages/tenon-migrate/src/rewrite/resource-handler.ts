/** Handlers of resources: their parameters are in another order, and they return the contents themselves. */
import type { Node } from 'oxc-parser';
import { bare, follow, propertyOf } from '../syntax/project.ts';
import type { FileChanges } from './changes.ts';
import {
  type FunctionNode,
  ownFunctionOf,
  parameterCountOf,
  removeReturnType,
  replaceParameters,
  returnsOf,
  untyped,
  unwrapProperty,
  usesOf,
} from './handlers.ts';
import { checkContext } from './prompt-handler.ts';

/** `(uri, extra)` becomes `(ctx, uri = new URL(…))`: Tenon calls it with the context alone. */
export function resourceHandler(changes: FileChanges, handler: Node, uri: string): void {
  const own = ownFunctionOf(changes, handler);
  if (own === undefined) {
    const given = ['uri', 'ctx'].slice(0, parameterCountOf(changes, handler) ?? 2);
    const params = given.length === 0 ? '' : `${given[1] ?? '_ctx'}, uri = new URL(${uri})`;
    return adapt(changes, handler, params, given);
  }
  const [first, second] = own.params;
  checkContext(changes, own, second);
  const names = second === undefined ? [] : [untyped(changes, second)];
  if (first !== undefined && isUsed(changes, first)) {
    if (second === undefined) names.push('_ctx');
    names.push(`${renamed(changes, first, uri)} = new URL(${uri})`);
  }
  replaceParameters(changes, own, names);
  contents(changes, own);
}

/** `(uri, variables, extra)` becomes `(variables, ctx, text, uri = new URL(text))`: Tenon gives the URI as a text. */
export function templateHandler(changes: FileChanges, handler: Node): void {
  const own = ownFunctionOf(changes, handler);
  if (own === undefined) {
    const given = ['new URL(uri)', 'variables', 'ctx'].slice(0, parameterCountOf(changes, handler) ?? 3);
    return adapt(changes, handler, 'variables, ctx, uri', given);
  }
  const [first, second, third] = own.params;
  checkContext(changes, own, third);
  const names = [second, third].map(
    (one, index) => (one === undefined ? ['_variables', '_ctx'][index] : untyped(changes, one)) ?? '',
  );
  if (first !== undefined && isUsed(changes, first)) {
    if (isText(changes, first)) names.push(untyped(changes, first));
    else names.push('uriText', `${untyped(changes, first)} = new URL(uriText)`);
  } else {
    names.length = third !== undefined ? 2 : second !== undefined ? 1 : 0;
  }
  replaceParameters(changes, own, names);
  contents(changes, own);
}

const isUsed = (changes: FileChanges, param: FunctionNode['params'][number]): boolean =>
  param.type !== 'Identifier' || usesOf(changes, param).length > 0;

/** A parameter cannot have the name of what its default value uses: it gets another one, everywhere. */
function renamed(changes: FileChanges, param: FunctionNode['params'][number], uri: string): string {
  if (param.type !== 'Identifier' || !new RegExp(`(?<![\\w$.])${param.name}(?![\\w$])`).test(uri))
    return untyped(changes, param);
  const name = changes.file.scopes.names.has('url') ? `${param.name}Asked` : 'url';
  for (const use of usesOf(changes, param)) {
    const parent = changes.file.source.parentOf(use);
    const isShorthand = parent?.type === 'Property' && parent.shorthand;
    changes.replace(use.start, use.end, isShorthand ? `${param.name}: ${name}` : name);
  }
  return name;
}

/** Whether only the text of a URL is used: `uri.href` is then written `uri`. */
function isText(changes: FileChanges, param: FunctionNode['params'][number]): boolean {
  const members = usesOf(changes, param).map((use) => changes.file.source.parentOf(use));
  const hrefs = members.filter(
    (one) => one?.type === 'MemberExpression' && one.property.type === 'Identifier' && one.property.name === 'href',
  );
  if (param.type !== 'Identifier' || hrefs.length !== members.length) return false;
  for (const one of hrefs) if (one?.type === 'MemberExpression') changes.text.remove(one.object.end, one.end);
  return true;
}

/** A handler that is written elsewhere, or used twice, stays as it is. */
function adapt(changes: FileChanges, handler: Node, params: string, given: readonly string[]): void {
  changes.wrap(handler, `async (${params}) => (await `, `(${given.join(', ')})).contents`);
  reportContents(changes, handler);
}

/** `return { contents: [part] }` becomes `return [part]`. */
function contents(changes: FileChanges, own: FunctionNode): void {
  removeReturnType(changes, own);
  for (const returned of returnsOf(changes, own)) {
    const value = bare(returned);
    const property = value.type === 'ObjectExpression' ? propertyOf(value, 'contents') : undefined;
    if (property === undefined || value.type !== 'ObjectExpression') {
      if (own.async) changes.wrap(returned, '(await ', ').contents');
      else changes.wrap(returned, 'Promise.resolve(', ').then(({ contents }) => contents)');
      reportContents(changes, returned);
      continue;
    }
    parts(changes, property.value);
    unwrapProperty(changes, value, property);
    // `as ReadResourceResult` is no longer true.
    if (returned !== value) changes.text.remove(value.end, returned.end);
  }
}

/** Base64 in `blob` becomes bytes. */
function parts(changes: FileChanges, expression: Node): void {
  const list = bare(expression);
  const items = list.type === 'ArrayExpression' ? list.elements : [list];
  for (const item of items) {
    if (item === null) continue;
    const { file, node } = follow(changes.project, { file: changes.file, node: item });
    if (node.type !== 'ObjectExpression') {
      reportContents(changes, item);
      continue;
    }
    const blob = propertyOf(node, 'blob');
    if (blob === undefined || changes.handled.has(blob)) continue;
    changes.handled.add(blob);
    if (file !== changes.file || node !== bare(item)) reportContents(changes, item);
    else if (blob.shorthand) changes.replace(blob.start, blob.end, "bytes: Buffer.from(blob, 'base64')");
    else {
      changes.replace(blob.key.start, blob.key.end, 'bytes');
      changes.wrap(blob.value, 'Buffer.from(', ", 'base64')");
    }
  }
}

function reportContents(changes: FileChanges, node: Node): void {
  changes.report(
    node,
    'these contents are made elsewhere: a part with `blob` needs `bytes` instead',
    'the-server-with-tenon',
  );
}
