/** Rewrites a registration to `server.update((draft) => { draft.tools.name = tool(…); })`. */
import type { Node } from 'oxc-parser';
import { follow, propertyOf } from '../syntax/project.ts';
import type { FileChanges, Kind } from './changes.ts';
import { promptHandler } from './prompt-handler.ts';
import { draftName, type Registration, registrationOf, whyNot } from './registrations.ts';
import { rewriteResource } from './resources.ts';
import { isUndefined, rewriteSchemaOf, short } from './schemas.ts';
import { isAnnotations, rewriteShape } from './tool-arguments.ts';
import { toolHandler } from './tool-handler.ts';

/** Rewrites every registration of a file, inner ones first. */
export function rewriteRegistrations(changes: FileChanges): void {
  for (const node of [...changes.file.source.nodes].reverse()) {
    const registration = registrationOf(changes, node);
    if (registration === undefined) continue;
    changes.handled.add(registration.call);
    const problem = whyNot(changes, registration);
    if (problem !== undefined) changes.report(node, `not converted: ${problem}`, 'what-tenon-migrate-reports');
    else rewrite(changes, registration);
  }
}

function rewrite(changes: FileChanges, registration: Registration): void {
  const { method } = registration;
  const parent = changes.file.source.parentOf(registration.call);
  if (parent?.type !== 'ExpressionStatement') {
    changes.report(
      registration.call,
      `\`${method}()\` is returned: \`update()\` returns nothing`,
      'what-tenon-migrate-reports',
    );
  }
  if (/tool$/i.test(method)) rewriteTool(changes, registration);
  else if (/prompt$/i.test(method)) rewritePrompt(changes, registration);
  else rewriteResource(changes, registration);
}

function rewriteTool(changes: FileChanges, registration: Registration): void {
  const { method, middle, handler } = registration;
  const hasArguments =
    method === 'tool'
      ? toolConfig(changes, registration)
      : config(changes, registration, ['inputSchema', 'outputSchema']);
  toolHandler(changes, handler, hasArguments);
  open(changes, registration, 'tools', changes.need('tool'), method === 'tool' ? (middle[0] ?? handler) : middle[0]);
}

function rewritePrompt(changes: FileChanges, registration: Registration): void {
  const { method, middle, handler } = registration;
  const hasArguments =
    method === 'prompt' ? promptConfig(changes, registration) : config(changes, registration, ['argsSchema']);
  promptHandler(changes, handler, hasArguments);
  open(
    changes,
    registration,
    'prompts',
    changes.need('prompt'),
    method === 'prompt' ? (middle[0] ?? handler) : middle[0],
  );
}

/** Rewrites the schemas of a configuration; whether the handler gets arguments, as far as that can be seen. */
function config(changes: FileChanges, { middle, call }: Registration, schemas: readonly string[]): boolean {
  const [given] = middle;
  const place = given && follow(changes.project, { file: changes.file, node: given });
  if (place?.node.type !== 'ObjectExpression') {
    const code = given === undefined ? 'the configuration' : `\`${short(changes.textOf(given))}\``;
    changes.report(
      given ?? call,
      `${code} could not be followed: its schemas must not be raw shapes`,
      'what-tenon-migrate-reports',
    );
    return true;
  }
  if (place.file === changes.file) {
    for (const name of schemas) {
      const property = propertyOf(place.node, name);
      if (property !== undefined) rewriteSchemaOf(changes, property);
    }
  } else {
    const path = place.file.source.path;
    changes.report(
      given ?? call,
      `its configuration is in ${path}: its schemas must not be raw shapes`,
      'what-tenon-migrate-reports',
    );
  }
  const [first = ''] = schemas;
  const property = propertyOf(place.node, first);
  const isSpread = place.node.properties.some(({ type }) => type === 'SpreadElement');
  return property === undefined ? isSpread : !isUndefined(property.value);
}

/** `tool(name, description?, shape or annotations?, annotations?, handler)`: writes the names of the configuration. */
function toolConfig(changes: FileChanges, { middle }: Registration): boolean {
  const rest = [...middle];
  const parts: (readonly [name: string, node: Node])[] = [];
  const [first] = rest;
  if (first !== undefined && isDescription(changes, first)) parts.push(['description', rest.shift() ?? first]);
  const shape =
    rest[0] !== undefined && !(rest.length === 1 && isAnnotations(changes, rest[0])) ? rest.shift() : undefined;
  if (shape !== undefined) {
    rewriteShape(changes, shape);
    parts.push(['inputSchema', shape]);
  }
  if (rest[0] !== undefined) parts.push(['annotations', rest[0]]);
  nameParts(changes, parts);
  return shape !== undefined;
}

/** `prompt(name, description?, shape?, handler)`. */
function promptConfig(changes: FileChanges, { middle }: Registration): boolean {
  const rest = [...middle];
  const parts: (readonly [name: string, node: Node])[] = [];
  if (rest[0] !== undefined && isDescription(changes, rest[0])) parts.push(['description', rest[0]]);
  const shape = parts.length === 0 ? rest[0] : rest[1];
  if (shape !== undefined) {
    rewriteShape(changes, shape);
    parts.push(['argsSchema', shape]);
  }
  nameParts(changes, parts);
  return shape !== undefined;
}

const isDescription = (changes: FileChanges, node: Node): boolean => {
  const { type } = follow(changes.project, { file: changes.file, node }).node;
  return type === 'Literal' || type === 'TemplateLiteral' || type === 'BinaryExpression';
};

/** Turns neighbouring arguments into one object: `'Adds', { a }` to `{ description: 'Adds', inputSchema: { a } }`. */
function nameParts(changes: FileChanges, parts: readonly (readonly [name: string, node: Node])[]): void {
  parts.forEach(([name, node], index) => {
    changes.wrap(node, `${index === 0 ? '{ ' : ''}${name}: `, index === parts.length - 1 ? ' }' : '');
  });
}

/** Writes what is before the configuration and after the handler. */
function open(
  changes: FileChanges,
  { call, name, handler }: Registration,
  kind: Kind,
  maker: string,
  first?: Node,
): void {
  if (call.callee.type !== 'MemberExpression') return;
  const property = call.callee.property;
  const next = first ?? handler;
  const draft = draftName(changes, call);
  const notes = changes.commentsIn(property.end, name.start);
  changes.replace(property.start, name.start, `update((${draft}) => { ${notes}${draft}.${kind}`);
  const key = keyText(changes, name);
  if (key === undefined) changes.wrap(name, '[', ']');
  else changes.replace(name.start, name.end, key);
  const gap = changes.file.source.text.slice(name.end, next.start).replace(/^\s*,/, '');
  // Without a configuration there is an empty one.
  const empty = next === handler ? '{}, ' : '';
  changes.replace(name.end, next.start, ` = ${maker}(${empty}${gap.trim() === '' && !gap.includes('\n') ? '' : gap}`);
  changes.text.appendLeft(call.end, '; })');
  changes.converted[kind]++;
}

/** `.name`, for a text that can be written so. */
function keyText(changes: FileChanges, name: Node): string | undefined {
  const isPlain = name.type === 'Literal' && typeof name.value === 'string' && /^[A-Za-z$][\w$]*$/.test(name.value);
  return isPlain ? `.${changes.textOf(name).slice(1, -1)}` : undefined;
}
