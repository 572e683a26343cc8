/** A model: named shapes and the messages each side may send. A later one is written as a delta on an earlier one. */
import { type Field, type Fields, fieldsOf, type Notation, type Shape, shapeOf } from './shape.ts';

export interface RequestModel {
  /** The word from which the type names come: `CallTool` gives `CallToolRequest`. */
  readonly name: string;
  readonly params: Field;
  readonly result: Shape;
}

export interface NotificationModel {
  readonly name: string;
  readonly params: Field;
}

/** What one side may send. */
export interface Messages {
  readonly requests: Readonly<Record<string, RequestModel>>;
  readonly notifications: Readonly<Record<string, NotificationModel>>;
}

export interface Model {
  readonly shapes: Readonly<Record<string, Shape>>;
  readonly client: Messages;
  readonly server: Messages;
}

export const request = (name: string, params: Notation | Field, result: Notation): RequestModel => ({
  name,
  params: paramsOf(params),
  result: shapeOf(result),
});

export const notification = (name: string, params: Notation | Field): NotificationModel => ({
  name,
  params: paramsOf(params),
});

/** Params that may be left out of the message. */
export const optional = (shape: Notation): Field => ({ shape: shapeOf(shape), optional: true });

const paramsOf = (params: Notation | Field): Field =>
  typeof params === 'object' && 'shape' in params ? params : { shape: shapeOf(params), optional: false };

interface MessageDelta {
  readonly requests?: Readonly<Record<string, RequestModel>>;
  readonly notifications?: Readonly<Record<string, NotificationModel>>;
}

/** What changed from one model to the next. Throws where a change does not apply to the model before. */
export interface Delta {
  /** New shapes. */
  readonly add?: Readonly<Record<string, Shape>>;
  /** Records that gain fields, or whose fields change their shape. */
  readonly extend?: Readonly<Record<string, Fields>>;
  /** Records that lose fields. */
  readonly omit?: Readonly<Record<string, readonly string[]>>;
  /** Shapes with a new definition. */
  readonly replace?: Readonly<Record<string, Shape>>;
  readonly drop?: readonly string[];
  /** New messages. */
  readonly client?: MessageDelta;
  readonly server?: MessageDelta;
  /** Messages with new params or a new result. */
  readonly replaceClient?: MessageDelta;
  readonly replaceServer?: MessageDelta;
  readonly dropClient?: readonly string[];
  readonly dropServer?: readonly string[];
}

const check = (holds: boolean, text: string): void => {
  if (!holds) throw new Error(`The delta does not apply: ${text}`);
};

/** The next model: the one before it, and what changed. */
export function revise(previous: Model, delta: Delta): Model {
  return {
    shapes: reviseShapes(previous.shapes, delta),
    client: reviseMessages(previous.client, delta.client, delta.replaceClient, delta.dropClient),
    server: reviseMessages(previous.server, delta.server, delta.replaceServer, delta.dropServer),
  };
}

function reviseShapes(previous: Model['shapes'], delta: Delta): Record<string, Shape> {
  const shapes: Record<string, Shape> = { ...previous };
  const recordNamed = (name: string): Extract<Shape, { is: 'record' }> => {
    const shape = shapes[name];
    if (shape?.is !== 'record') throw new Error(`The delta does not apply: ${name} is not a record`);
    return shape;
  };
  for (const name of delta.drop ?? []) {
    check(name in shapes, `${name} is dropped but was never there`);
    delete shapes[name];
  }
  for (const [name, shape] of Object.entries(delta.add ?? {})) {
    check(!(name in previous), `${name} is added but was there`);
    shapes[name] = shape;
  }
  for (const [name, shape] of Object.entries(delta.replace ?? {})) {
    check(name in previous, `${name} is replaced but was never there`);
    shapes[name] = shape;
  }
  for (const [name, keys] of Object.entries(delta.omit ?? {})) {
    const { fields, ...rest } = recordNamed(name);
    for (const key of keys) check(key in fields, `${name}.${key} is omitted but was never there`);
    shapes[name] = {
      ...rest,
      fields: Object.fromEntries(Object.entries(fields).filter(([key]) => !keys.includes(key))),
    };
  }
  for (const [name, fields] of Object.entries(delta.extend ?? {})) {
    const before = recordNamed(name);
    shapes[name] = { ...before, fields: { ...before.fields, ...fieldsOf(fields) } };
  }
  return shapes;
}

function reviseMessages(
  previous: Messages,
  add: MessageDelta = {},
  replace: MessageDelta = {},
  drop: readonly string[] = [],
): Messages {
  for (const method of drop) {
    check(method in previous.requests || method in previous.notifications, `${method} is dropped but was never there`);
  }
  return {
    requests: reviseTable(previous.requests, add.requests, replace.requests, drop),
    notifications: reviseTable(previous.notifications, add.notifications, replace.notifications, drop),
  };
}

type Table<T> = Readonly<Record<string, T>>;

/** A method cannot be dropped and added in one delta: use `replace`. */
function reviseTable<T>(
  previous: Table<T>,
  add: Table<T> = {},
  replace: Table<T> = {},
  drop: readonly string[],
): Table<T> {
  for (const method of Object.keys(add)) check(!(method in previous), `${method} is added but was there`);
  for (const method of Object.keys(replace)) {
    check(method in previous && !drop.includes(method), `${method} is replaced but is not there`);
  }
  const kept = Object.entries(previous).filter(([method]) => !drop.includes(method));
  return { ...Object.fromEntries(kept), ...replace, ...add };
}
