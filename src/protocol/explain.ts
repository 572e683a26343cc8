/** Explains where a value does not match its shape. Loaded only after a checker has refused a value. */
import { model as foundingElicitation } from './dialects/elicitation-model.ts';
import { model as foundingTasks } from './dialects/tasks-model.ts';
import { model as tasksExtension } from './extensions/tasks-model.ts';
import type { Model } from './model/model.ts';
import type { Shape } from './model/shape.ts';
import type { Side } from './neutral.ts';
import { models, newest } from './revisions/models.ts';

/** A copy of the one in the checkers: a shared module would be one more file to load at every start. */
const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** The place of a mismatch, and the reason. */
interface Problem {
  readonly place: string;
  readonly reason: string;
}

export function explainParams(
  revision: string,
  from: Side,
  table: 'requests' | 'notifications',
  method: string,
  params: unknown,
): Problem {
  const found = modelsOf(revision).map((model) => {
    const entry = model[from][table][method];
    return entry && explain(model, entry.params.shape, params, 'params');
  });
  return firstOf(found, 'params');
}

export function explainResult(revision: string, asker: Side, method: string, result: unknown): Problem {
  const found = modelsOf(revision).map((model) => {
    const entry = model[asker].requests[method];
    return entry && explain(model, entry.result, result, 'result');
  });
  return firstOf(found, 'result');
}

const dialects = [foundingTasks, foundingElicitation];

/** The models that may have a message: that of its revision, with its extension, and those of the dialects of sessions. */
function modelsOf(revision: string): readonly Model[] {
  const own = models.get(revision);
  if (own === newest) return [tasksExtension];
  return own === undefined ? dialects : [own, ...dialects];
}

/** Something is wrong with a value that a checker has refused, also where no model shows it. */
const firstOf = (found: readonly (Problem | undefined)[], place: string): Problem =>
  found.find((problem) => problem !== undefined) ?? { place, reason: 'invalid' };

/** The first mismatch of a value: its place, and what was expected and found there. */
export function explain(model: Model, shape: Shape, value: unknown, place: string): Problem | undefined {
  const mismatch = findMismatch(model, shape, value, place);
  if (mismatch === undefined) return undefined;
  const found = describe(mismatch.found, mismatch.place);
  return { place: mismatch.place, reason: `expected ${mismatch.expected}, found ${found}` };
}

interface Mismatch {
  place: string;
  expected: string;
  found: unknown;
}

const step = (place: string, key: string): string =>
  /^[A-Za-z_$][\w$]*$/.test(key) ? `${place}.${key}` : `${place}[${JSON.stringify(key)}]`;

function findMismatch(model: Model, shape: Shape, value: unknown, place: string): Mismatch | undefined {
  const here = (matches: boolean): Mismatch | undefined =>
    matches ? undefined : { place, expected: nameOf(model, shape), found: value };
  switch (shape.is) {
    case 'anything':
      return here(value !== undefined);
    case 'null':
      return here(value === null);
    case 'string':
    case 'boolean':
      return here(typeof value === shape.is);
    case 'number':
    case 'integer': {
      const matches =
        typeof value === 'number' && (shape.is === 'number' ? Number.isFinite(value) : Number.isInteger(value));
      return here(matches && value >= (shape.min ?? value) && value <= (shape.max ?? value));
    }
    case 'just':
      return here(value === shape.value);
    case 'word':
      return here(shape.of.includes(value as string));
    case 'named':
      return findMismatch(model, named(model, shape.name), value, place);
    case 'list':
      if (!Array.isArray(value) || value.length > (shape.most ?? value.length)) return here(false);
      return firstMismatch(Array.from(value, (item, n) => () => findMismatch(model, shape.of, item, `${place}[${n}]`)));
    case 'record':
      return isRecord(value) ? recordMismatch(model, shape, value, place) : here(false);
    case 'kinds':
      return kindMismatch(model, shape.of, value, place);
    case 'either': {
      const mismatches = shape.of.map((option) => findMismatch(model, option, value, place));
      return mismatches.includes(undefined) ? undefined : (deepest(mismatches as Mismatch[], place) ?? here(false));
    }
  }
}

function recordMismatch(
  model: Model,
  shape: Extract<Shape, { is: 'record' }>,
  value: Record<string, unknown>,
  place: string,
): Mismatch | undefined {
  const { fields, rest } = shape;
  const own = Object.entries(fields).map(([key, field]) => () => {
    if (value[key] === undefined && field.optional) return undefined;
    return findMismatch(model, field.shape, value[key], step(place, key));
  });
  const others =
    rest === undefined
      ? []
      : Object.keys(value).filter((key) => !Object.hasOwn(fields, key) && value[key] !== undefined);
  return firstMismatch([
    ...own,
    ...others.map((key) => () => findMismatch(model, rest as Shape, value[key], step(place, key))),
  ]);
}

function kindMismatch(model: Model, kinds: readonly string[], value: unknown, place: string): Mismatch | undefined {
  if (!isRecord(value)) return { place, expected: 'an object with a type', found: value };
  if (typeof value.type !== 'string') return { place: step(place, 'type'), expected: 'a string', found: value.type };
  const kind = kinds.find((name) => {
    const shape = named(model, name);
    const type = shape.is === 'record' ? shape.fields.type?.shape : undefined;
    return type?.is === 'just' && type.value === value.type;
  });
  return kind === undefined ? undefined : findMismatch(model, named(model, kind), value, place);
}

const named = (model: Model, name: string): Shape => model.shapes[name] ?? { is: 'anything' };

function firstMismatch(checks: ReadonlyArray<() => Mismatch | undefined>): Mismatch | undefined {
  for (const check of checks) {
    const mismatch = check();
    if (mismatch !== undefined) return mismatch;
  }
  return undefined;
}

/** Of several options, explains the one that matched furthest. If all failed at the root, explains none. */
function deepest(mismatches: readonly Mismatch[], place: string): Mismatch | undefined {
  const [first] = [...mismatches].sort((a, b) => b.place.length - a.place.length);
  return first !== undefined && first.place !== place ? first : undefined;
}

function nameOf(model: Model, shape: Shape): string {
  switch (shape.is) {
    case 'anything':
      return 'a value';
    case 'null':
      return 'null';
    case 'integer':
    case 'number':
      return `${shape.is === 'integer' ? 'an integer' : 'a number'}${range(shape)}`;
    case 'just':
      return JSON.stringify(shape.value);
    case 'word':
      return `one of ${shape.of.map((word) => JSON.stringify(word)).join(', ')}`;
    case 'list':
      return shape.most === undefined ? 'a list' : `a list of at most ${shape.most}`;
    case 'record':
    case 'kinds':
      return 'an object';
    case 'named':
      return nameOf(model, named(model, shape.name));
    case 'either':
      return [...new Set(shape.of.map((option) => nameOf(model, option)))].join(' or ');
    default:
      return `a ${shape.is}`;
  }
}

const range = ({ min, max }: { min?: number; max?: number }): string =>
  min === undefined ? '' : max === undefined ? ` of at least ${min}` : ` from ${min} to ${max}`;

/** Words are quoted, since a wrong one is usually a wrong choice. Anything else may be private. */
const plainWord = /^[a-z][a-z_/-]{0,29}$/i;
const secretName = /key|token|secret|pass|auth|credential|cookie|session/i;

/** Describes a value. Only plain words are quoted, and never in a field that may hold a secret. */
function describe(value: unknown, place: string): string {
  if (value === undefined) return 'nothing';
  if (value === null) return 'null';
  if (Array.isArray(value)) return 'a list';
  if (typeof value === 'object') return 'an object';
  if (typeof value !== 'string') return String(value);
  const mayQuote = plainWord.test(value) && !secretName.test(place.slice(place.lastIndexOf('.') + 1));
  return mayQuote ? `"${value}"` : `a string of ${value.length} characters`;
}
