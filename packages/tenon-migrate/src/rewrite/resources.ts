/** Resources and resource templates: the key is the URI, and the name is an option. */
import type { Node } from 'oxc-parser';
import { isNew } from '../sdk.ts';
import { bare, follow, propertyOf } from '../syntax/project.ts';
import type { FileChanges, Kind } from './changes.ts';
import { removeConstant } from './constants.ts';
import { draftName, type Registration } from './registrations.ts';
import { resourceHandler, templateHandler } from './resource-handler.ts';
import { isUndefined } from './schemas.ts';

type NewNode = Extract<Node, { type: 'NewExpression' }>;

export function rewriteResource(changes: FileChanges, registration: Registration): void {
  const [target, options] = registration.middle;
  if (target === undefined) return;
  const value = follow(changes.project, { file: changes.file, node: target });
  if (!isNew(value, 'ResourceTemplate')) {
    resourceHandler(changes, registration.handler, changes.textOf(target));
    open(changes, registration, {
      kind: 'resources',
      key: changes.textOf(target),
      maker: changes.need('resource'),
      extra: '',
      options,
    });
    return;
  }
  const node = bare(value.node);
  const [text] = node.type === 'NewExpression' ? node.arguments : [];
  if (value.file !== changes.file || text === undefined) {
    changes.report(target, 'not converted: its template is made in another file', 'what-tenon-migrate-reports');
    return;
  }
  templateHandler(changes, registration.handler);
  const extra = callbacksOf(changes, node as NewNode);
  removeConstant(changes, target);
  open(changes, registration, {
    kind: 'resourceTemplates',
    key: changes.textOf(text),
    maker: changes.need('resourceTemplate'),
    extra,
    options,
  });
}

/** `list` and `complete` of a template, as options. */
function callbacksOf(changes: FileChanges, { arguments: [, callbacks] }: NewNode): string {
  if (callbacks === undefined) return '';
  const value = bare(callbacks);
  if (value.type !== 'ObjectExpression') {
    changes.report(
      callbacks,
      'the callbacks of this template could not be followed: write `list` and `complete` into its options',
      'the-server-with-tenon',
    );
    return '';
  }
  const [list, complete] = [propertyOf(value, 'list'), propertyOf(value, 'complete')];
  const parts: string[] = [];
  if (list !== undefined && !isUndefined(list.value)) parts.push(`list: ${listText(changes, list.value)}`);
  if (complete !== undefined) parts.push(complete.shorthand ? 'complete' : changes.textOf(complete));
  return parts.map((part) => `${part}, `).join('');
}

/** A list returns the resources themselves. */
function listText(changes: FileChanges, callback: Node): string {
  changes.report(
    callback,
    '`list` of this template was adapted: it may return URIs or resources, without `{ resources }`',
    'the-server-with-tenon',
  );
  return `async (ctx) => (await (${changes.textOf(callback)})(ctx)).resources`;
}

interface Written {
  readonly kind: Kind;
  readonly key: string;
  readonly maker: string;
  /** Options before those that are written. */
  readonly extra: string;
  readonly options: Node | undefined;
}

function open(changes: FileChanges, registration: Registration, { kind, key, maker, extra, options }: Written): void {
  const { call, name, handler } = registration;
  if (call.callee.type !== 'MemberExpression') return;
  const next = options ?? handler;
  const { property } = call.callee;
  const draft = draftName(changes, call);
  const notes = changes.commentsIn(property.end, next.start);
  const gap = /\n\s*$/.exec(changes.file.source.text.slice(property.end, next.start))?.[0] ?? '';
  const label = changes.textOf(name) === 'name' ? 'name' : `name: ${changes.textOf(name)}`;
  const beginning = `update((${draft}) => { ${notes}${draft}.${kind}[${key}] = ${maker}(${gap}`;
  const plain = options && bare(options);
  if (plain === undefined) {
    changes.replace(property.start, next.start, `${beginning}{ ${extra}${label} }, `);
  } else if (plain.type === 'ObjectExpression' && plain === options) {
    changes.replace(
      property.start,
      plain.start + 1,
      `${beginning}{ ${extra}${label}${plain.properties.length > 0 ? ',' : ' '}`,
    );
  } else {
    changes.replace(property.start, next.start, beginning);
    changes.wrap(options as Node, `{ ${extra}${label}, ...`, ' }');
  }
  changes.text.appendLeft(call.end, '; })');
  changes.converted[kind]++;
}
