/** The notation for message shapes: the subset of JSON Schema that the protocol uses, written by name. */

export type Shape =
  | { readonly is: 'anything' | 'string' | 'boolean' | 'null' }
  | { readonly is: 'number' | 'integer'; readonly min?: number; readonly max?: number }
  | { readonly is: 'just'; readonly value: string | number }
  | { readonly is: 'word'; readonly of: readonly string[] }
  | { readonly is: 'list'; readonly of: Shape; readonly most?: number }
  | { readonly is: 'record'; readonly fields: Readonly<Record<string, Field>>; readonly rest?: Shape }
  | { readonly is: 'either'; readonly of: readonly Shape[] }
  /** Records distinguished by their `type`. A type that is not listed passes, so that newer content is not lost. */
  | { readonly is: 'kinds'; readonly of: readonly string[] }
  | { readonly is: 'named'; readonly name: string };

export interface Field {
  readonly shape: Shape;
  readonly optional: boolean;
}

/** Where a shape is expected, a bare string names one. */
export type Notation = Shape | string;

/** Fields of a record; a key that ends in `?` is optional. */
export type Fields = Readonly<Record<string, Notation>>;

export const anything: Shape = { is: 'anything' };
export const string: Shape = { is: 'string' };
export const boolean: Shape = { is: 'boolean' };
export const nothing: Shape = { is: 'null' };
export const number: Shape = { is: 'number' };
export const integer: Shape = { is: 'integer' };

/** A number from 0 to 1. */
export const share: Shape = { is: 'number', min: 0, max: 1 };
/** An integer that is not negative. */
export const count: Shape = { is: 'integer', min: 0 };

export const shapeOf = (notation: Notation): Shape =>
  typeof notation === 'string' ? { is: 'named', name: notation } : notation;

export const just = (value: string | number): Shape => ({ is: 'just', value });
export const word = (...of: string[]): Shape => ({ is: 'word', of });
export const list = (of: Notation, most?: number): Shape =>
  most === undefined ? { is: 'list', of: shapeOf(of) } : { is: 'list', of: shapeOf(of), most };
export const either = (...of: Notation[]): Shape => ({ is: 'either', of: of.map(shapeOf) });
export const kinds = (...of: string[]): Shape => ({ is: 'kinds', of });

/** An object with these fields. Further fields are always legal. */
export const record = (fields: Fields = {}): Shape => ({ is: 'record', fields: fieldsOf(fields) });
/** An object whose fields that are not listed all have one shape. */
export const map = (rest: Notation, fields: Fields = {}): Shape => ({
  is: 'record',
  fields: fieldsOf(fields),
  rest: shapeOf(rest),
});
/** An object with any fields. */
export const open: Shape = map(anything);

export function fieldsOf(fields: Fields): Record<string, Field> {
  const read = ([key, notation]: [string, Notation]): [string, Field] => {
    const optional = key.endsWith('?');
    return [optional ? key.slice(0, -1) : key, { shape: shapeOf(notation), optional }];
  };
  return Object.fromEntries(Object.entries(fields).map(read));
}
