/** Generates checking functions from shapes, one for each class of equal shapes. */
import type { Model } from '../../src/protocol/model/model.ts';
import type { Field, Shape } from '../../src/protocol/model/shape.ts';
import { classify } from './classes.ts';

export interface CheckWriter {
  /** The name of the function that checks this shape. */
  check(model: Model, shape: Shape, hint: string): string;
  /** The module with all functions requested so far. */
  text(): string;
}

const literal = (value: unknown): string => JSON.stringify(value).replaceAll("'", "\\'").replaceAll('"', "'");
const access = (key: string): string => (/^[A-Za-z_$][\w$]*$/.test(key) ? `v.${key}` : `v[${literal(key)}]`);
const refined = (test: string, value: string, { min, max }: { min?: number; max?: number }): string =>
  [test, min === undefined ? '' : `${value} >= ${min}`, max === undefined ? '' : `${value} <= ${max}`]
    .filter(Boolean)
    .join(' && ');

/** A test of an optional field. A test that is one function call gets a `maybe_` function. */
function optionally(own: string, value: string): string {
  const simple =
    own === `typeof ${value} === 'string'` ? 'isString' : own === `typeof ${value} === 'boolean'` ? 'isBoolean' : own;
  const name = simple === own ? /^(\w+)\([^,()]*\)$/.exec(own)?.[1] : simple;
  return name === undefined ? `(${value} === undefined || ${own})` : `maybe_${name}(${value})`;
}

/** A `maybe_` function is worth it from this many uses: it makes the module shorter, which loads faster. */
const oftenEnough = 3;

function withOptional(functions: readonly string[]): string[] {
  const text = functions.join('\n');
  const uses = new Map<string, number>();
  for (const [, name = ''] of text.matchAll(/\bmaybe_(\w+)\(/g)) uses.set(name, (uses.get(name) ?? 0) + 1);
  const own = [...uses].filter(([, times]) => times >= oftenEnough).map(([name]) => name);
  const plain = text.replaceAll(/\bmaybe_(\w+)\(([^()]*)\)/g, (call, name, value) =>
    own.includes(name) ? call : `(${value} === undefined || ${name}(${value}))`,
  );
  return [
    plain,
    ...own.map((name) => `function maybe_${name}(v: unknown): boolean { return v === undefined || ${name}(v); }`),
  ];
}

/** The literal field that identifies a record comes first, then required ones: most wrong values fail at once. */
const weight = ({ shape, optional }: Field): number => (shape.is === 'just' ? 0 : optional ? 2 : 1);

export function createCheckWriter(models: readonly Model[]): CheckWriter {
  const classes = classify(models);
  const names = new Map<string, string>();
  const taken = new Set<string>();
  const functions: string[] = [];
  /** The tests of each record, by the name of its function. */
  const written = new Map<string, ReadonlySet<string>>();

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
    // Functions, not arrows: V8 parses the body of an arrow fully when the module loads, of a function only when it runs.
    const block = body.startsWith('{') ? body : `{ return ${body}; }`;
    const returnType = shape.is === 'record' ? 'v is Fields' : 'boolean';
    functions.push(`export function ${name}(v: unknown): ${returnType} ${block}`);
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
      case 'list':
        if (shape.most === undefined) return `isListOf(${value}, ${check(model, shape.of, `${hint}Item`)})`;
        break;
      default:
    }
    return `${check(model, shape, hint)}(${value})`;
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
        if (optional) return optionally(own, value);
        return own.includes(' || ') ? `(${own})` : own;
      });
    const rest =
      isAnything(shape.rest) || shape.rest === undefined
        ? []
        : [`isMapOf(v, ${check(model, shape.rest, `${name}Value`)})`];
    const all = ['isRecord(v)', ...tests, ...rest];
    const subset = largestSubset(all);
    written.set(name, new Set(all));
    if (subset === undefined) return all.join(' && ');
    return [`${subset.name}(v)`, ...all.filter((one) => !subset.tests.has(one))].join(' && ');
  }

  /** Revisions mostly add fields: a record with all tests of another one starts with the check of that one. */
  function largestSubset(tests: readonly string[]): { name: string; tests: ReadonlySet<string> } | undefined {
    const own = new Set(tests);
    const size = (set: ReadonlySet<string>): number => [...set].join('').length;
    return [...written]
      .filter(([, set]) => set.size > 2 && [...set].every((one) => own.has(one)))
      .map(([name, set]) => ({ name, tests: set }))
      .sort((a, b) => size(b.tests) - size(a.tests))[0];
  }

  const text = (): string =>
    [
      '/** Checkers of message shapes, generated from the models: do not edit, run `npm run generate`. */',
      "import { isBoolean, isInteger, isListOf, isMapOf, isNumber, isRecord, isString } from '../model/primitives.ts';",
      '',
      'type Fields = Record<string, unknown>;',
      '',
      ...withOptional(functions),
      '',
    ].join('\n');

  return { check, text };
}
