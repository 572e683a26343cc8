/** Turns shapes into plain checking functions, one for each class of equal shapes. */
import type { Model } from '../../src/protocol/model/model.ts';
import type { Field, Shape } from '../../src/protocol/model/shape.ts';
import { classify } from './classes.ts';

export interface CheckWriter {
  /** The name of the function that checks this shape. */
  check(model: Model, shape: Shape, hint: string): string;
  /** The module with all functions asked for so far. */
  text(): string;
}

const literal = (value: unknown): string => JSON.stringify(value).replaceAll("'", "\\'").replaceAll('"', "'");
const access = (key: string): string => (/^[A-Za-z_$][\w$]*$/.test(key) ? `v.${key}` : `v[${literal(key)}]`);
const refined = (test: string, value: string, { min, max }: { min?: number; max?: number }): string =>
  [test, min === undefined ? '' : `${value} >= ${min}`, max === undefined ? '' : `${value} <= ${max}`]
    .filter(Boolean)
    .join(' && ');

/** The literal field that tells a record apart comes first, then required ones: most wrong values fail at once. */
const weight = ({ shape, optional }: Field): number => (shape.is === 'just' ? 0 : optional ? 2 : 1);

export function createCheckWriter(models: readonly Model[]): CheckWriter {
  const classes = classify(models);
  const names = new Map<string, string>();
  const taken = new Set<string>();
  const functions: string[] = [];

  function check(model: Model, shape: Shape, hint: string): string {
    if (shape.is === 'named') {
      const target = model.shapes[shape.name];
      if (target === undefined) throw new Error(`No shape is named ${shape.name} (${hint})`);
      return check(model, target, shape.name);
    }
    if (shape.is === 'string' || shape.is === 'boolean') return shape.is === 'string' ? 'isString' : 'isBoolean';
    if (shape.is === 'record' && Object.keys(shape.fields).length === 0 && isAnything(shape.rest)) return 'isRecord';
    const signature = classes.signature(model, shape);
    const known = names.get(signature);
    if (known !== undefined) return known;
    let name = hint;
    for (let n = 2; taken.has(name); n++) name = `${hint}${n}`;
    taken.add(name);
    names.set(signature, name);
    const body = bodyOf(model, shape, name);
    // Functions, not arrows: V8 reads the body of an arrow in full when the module loads, of a function only when it runs.
    const block = body.startsWith('{') ? body : `{ return ${body}; }`;
    functions.push(`export function ${name}(v: unknown): boolean ${block}`);
    return name;
  }

  const isAnything = (shape: Shape | undefined): boolean => shape === undefined || shape.is === 'anything';

  /** An expression that tests `value`, which is itself an expression without side effects. */
  function test(model: Model, shape: Shape, value: string, hint: string): string {
    switch (shape.is) {
      case 'anything':
        return `${value} !== undefined`;
      case 'string':
      case 'boolean':
        return `typeof ${value} === '${shape.is}'`;
      case 'null':
        return `${value} === null`;
      case 'number':
        return refined(`isNumber(${value})`, value, shape);
      case 'integer':
        return refined(`isInteger(${value})`, value, shape);
      case 'just':
        return `${value} === ${literal(shape.value)}`;
      default:
        return `${check(model, shape, hint)}(${value})`;
    }
  }

  function bodyOf(model: Model, shape: Shape, name: string): string {
    switch (shape.is) {
      case 'word':
        return shape.of.map((word) => `v === ${literal(word)}`).join(' || ');
      case 'list': {
        const every = `isListOf(v, ${check(model, shape.of, `${name}Item`)})`;
        return shape.most === undefined ? every : `${every} && v.length <= ${shape.most}`;
      }
      case 'either':
        return shape.of.map((option, n) => test(model, option, 'v', `${name}Option${n + 1}`)).join(' || ');
      case 'kinds':
        return `{ if (!isRecord(v)) return false; switch (v.type) { ${shape.of.map((kind) => kindCase(model, kind)).join(' ')} default: return typeof v.type === 'string'; } }`;
      case 'record':
        return recordBody(model, shape, name);
      default:
        return test(model, shape, 'v', name);
    }
  }

  function kindCase(model: Model, kind: string): string {
    const shape = model.shapes[kind];
    const type = shape?.is === 'record' ? shape.fields.type?.shape : undefined;
    if (shape === undefined || type?.is !== 'just') throw new Error(`${kind} has no literal type`);
    return `case ${literal(type.value)}: return ${check(model, shape, kind)}(v);`;
  }

  function recordBody(model: Model, shape: Extract<Shape, { is: 'record' }>, name: string): string {
    const fields = Object.entries(shape.fields).sort(([, a], [, b]) => weight(a) - weight(b));
    const tests = fields
      .filter(([, { shape, optional }]) => !(optional && shape.is === 'anything'))
      .map(([key, { shape, optional }]) => {
        const value = access(key);
        const own = test(model, shape, value, `${name}_${key.replace(/.*\//, '').replaceAll(/\W/g, '')}`);
        return optional ? `(${value} === undefined || ${own})` : own.includes(' || ') ? `(${own})` : own;
      });
    const rest =
      isAnything(shape.rest) || shape.rest === undefined
        ? []
        : [`isMapOf(v, ${check(model, shape.rest, `${name}Value`)})`];
    return ['isRecord(v)', ...tests, ...rest].join(' && ');
  }

  const text = (): string =>
    [
      '/** Checkers of message shapes, generated from the models: do not edit, run `npm run generate`. */',
      "import { isBoolean, isInteger, isListOf, isMapOf, isNumber, isRecord, isString } from '../model/primitives.ts';",
      '',
      ...functions,
      '',
    ].join('\n');

  return { check, text };
}
