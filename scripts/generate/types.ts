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

const documented = (text: string, declaration: string): string => `/** ${text} */\n${declaration}`;

const header = (title: string): string =>
  `/** ${title}, generated from the models: do not edit, run \`npm run generate\`. */`;

/** The named shapes of a model as one module; `version` says in which versions they are so. */
export function shapeTypes(title: string, version: string, model: Model): string {
  const types = Object.entries(model.shapes).map(([name, shape]) =>
    documented(`The type \`${name}\` of the protocol, ${version}.`, declare(name, shape)),
  );
  return [header(title), ...types, ''].join('\n\n');
}

/** The records that all versions share. JSON-RPC declares the type of ids: two types of one name could not both be exported. */
export function recordTypes(model: Model): string {
  const { RequestId: _, ...shapes } = model.shapes;
  const text = shapeTypes('The neutral records', 'for all protocol versions', { ...model, shapes });
  const [first, ...rest] = text.split('\n\n');
  const id = "import type { RequestId } from '../../../jsonrpc/message.ts';\n\nexport type { RequestId };";
  return [first, id, ...rest].join('\n\n');
}

/** The named shapes and all messages of a protocol version as one module. */
export function messageTypes(id: string, model: Model): string {
  const version = `version ${id}`;
  const declared = new Map<string, string>();
  const declareMessage = (name: string, own: string[], method: string, params: Field): void => {
    const text = `The message \`${method}\` of the protocol, ${version}.`;
    declared.set(name, documented(text, messageType(name, own, method, params)));
  };
  for (const side of [model.client, model.server]) {
    for (const [method, { name, params }] of Object.entries(side.requests)) {
      declareMessage(`${name}Request`, ['id: RequestId;'], method, params);
    }
    for (const [method, { name, params }] of Object.entries(side.notifications)) {
      declareMessage(`${name}Notification`, [], method, params);
    }
  }
  const shapes = shapeTypes(`Messages of ${id}`, version, model).trimEnd();
  return [shapes, ...declared.values(), ...unions(version, model), ''].join('\n\n');
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

function unions(version: string, model: Model): string[] {
  const union = (sender: 'Client' | 'Server', what: string, members: readonly string[]): string =>
    documented(
      `Any ${what.toLowerCase()} that a ${sender.toLowerCase()} sends, ${version}.`,
      `export type ${sender}${what} = ${[...new Set(members)].join(' | ') || 'never'};`,
    );
  const of = ({ requests, notifications }: Messages, sender: 'Client' | 'Server'): string[] => [
    union(
      sender,
      'Request',
      Object.values(requests).map(({ name }) => `${name}Request`),
    ),
    union(
      sender,
      'Notification',
      Object.values(notifications).map(({ name }) => `${name}Notification`),
    ),
    union(
      sender === 'Client' ? 'Server' : 'Client',
      'Result',
      Object.values(requests).map(({ result }) => typeOf(result)),
    ),
  ];
  return [...of(model.client, 'Client'), ...of(model.server, 'Server')];
}
