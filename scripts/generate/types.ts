/** Generates TypeScript types from shapes. */
import type { Messages, Model } from '../../src/protocol/model/model.ts';
import type { Field, Shape } from '../../src/protocol/model/shape.ts';

const quote = (text: string): string => `'${text}'`;
const property = (key: string): string => (/^[A-Za-z_$][\w$]*$/.test(key) ? key : quote(key));

function typeOf(shape: Shape): string {
  switch (shape.is) {
    case 'anything':
      return 'unknown';
    case 'string':
    case 'boolean':
    case 'null':
      return shape.is;
    case 'number':
    case 'integer':
      return 'number';
    case 'just':
      return typeof shape.value === 'string' ? quote(shape.value) : String(shape.value);
    case 'word':
      return shape.of.map(quote).join(' | ');
    case 'list':
      return /^\w+$/.test(typeOf(shape.of)) ? `${typeOf(shape.of)}[]` : `Array<${typeOf(shape.of)}>`;
    case 'either':
      return shape.of.map(typeOf).join(' | ');
    case 'kinds':
      return shape.of.join(' | ');
    case 'named':
      return shape.name;
    case 'record':
      return `{ ${membersOf(shape).join(' ')} }`;
  }
}

function membersOf(shape: Extract<Shape, { is: 'record' }>): string[] {
  const fields = Object.entries(shape.fields).map(
    ([key, field]) => `${property(key)}${optionalMark(field)}: ${typeOf(field.shape)};`,
  );
  const rest = shape.rest ?? (fields.length === 0 ? ({ is: 'anything' } as const) : undefined);
  // An index signature beside other fields must include their types, so it is `unknown`.
  return rest === undefined ? fields : [...fields, `[key: string]: ${fields.length > 0 ? 'unknown' : typeOf(rest)};`];
}

const optionalMark = ({ optional }: Field): string => (optional ? '?' : '');

const declare = (name: string, shape: Shape): string =>
  shape.is === 'record'
    ? `export interface ${name} {\n  ${membersOf(shape).join('\n  ')}\n}`
    : `export type ${name} = ${typeOf(shape)};`;

const header = (title: string): string =>
  `/** ${title}, generated from the models: do not edit, run \`npm run generate\`. */`;

/** The named shapes of a model as one module. */
export const shapeTypes = (title: string, model: Model): string =>
  [header(title), ...Object.entries(model.shapes).map(([name, shape]) => declare(name, shape)), ''].join('\n\n');

/** The named shapes and all messages of a model as one module. */
export function messageTypes(title: string, model: Model): string {
  const declared = new Map<string, string>();
  for (const side of [model.client, model.server]) {
    for (const [method, { name, params }] of Object.entries(side.requests)) {
      declared.set(`${name}Request`, messageType(`${name}Request`, ['id: RequestId;'], method, params));
    }
    for (const [method, { name, params }] of Object.entries(side.notifications)) {
      declared.set(`${name}Notification`, messageType(`${name}Notification`, [], method, params));
    }
  }
  return [shapeTypes(title, model).trimEnd(), ...declared.values(), ...unions(model), ''].join('\n\n');
}

const messageType = (name: string, own: string[], method: string, params: Field): string =>
  [
    `export interface ${name} {`,
    ...[
      "jsonrpc: '2.0';",
      ...own,
      `method: ${quote(method)};`,
      `params${optionalMark(params)}: ${typeOf(params.shape)};`,
    ].map((line) => `  ${line}`),
    '}',
  ].join('\n');

function unions(model: Model): string[] {
  const union = (name: string, members: readonly string[]): string =>
    `export type ${name} = ${[...new Set(members)].join(' | ') || 'never'};`;
  const of = (side: Messages, who: string): string[] => [
    union(
      `${who}Request`,
      Object.values(side.requests).map(({ name }) => `${name}Request`),
    ),
    union(
      `${who}Notification`,
      Object.values(side.notifications).map(({ name }) => `${name}Notification`),
    ),
    union(
      `${who === 'Client' ? 'Server' : 'Client'}Result`,
      Object.values(side.requests).map(({ result }) => typeOf(result)),
    ),
  ];
  return [...of(model.client, 'Client'), ...of(model.server, 'Server')];
}
