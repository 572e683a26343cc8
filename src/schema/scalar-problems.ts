/** What is wrong with a value by the keywords of a JSON Schema that look at it alone: its type, its choices, its bounds. */

type Fields = Readonly<Record<string, unknown>>;
type Problem = (value: unknown) => string | undefined;

/** Finds the first problem of a value; `undefined` if the schema has no such keyword. */
export function problemOf(schema: Fields): Problem | undefined {
  const types = schema.type === undefined ? undefined : [schema.type].flat().map(String);
  const constants = 'const' in schema ? [schema.const] : schema.enum;
  const scalars = Array.isArray(constants) && constants.every(isScalar) ? new Set<unknown>(constants) : undefined;
  const bounds = [rangeProblem(schema), textProblem(schema)].filter((each) => each !== undefined);
  if (types === undefined && scalars === undefined && bounds.length === 0) return undefined;
  return (value) => {
    if (types !== undefined && !types.some((type) => isOfType(value, type))) return `expected ${types.join(' or ')}`;
    if (scalars !== undefined && !scalars.has(value)) return 'is not one of the allowed values';
    for (const problem of bounds) {
      const found = problem(value);
      if (found !== undefined) return found;
    }
    return undefined;
  };
}

function isOfType(value: unknown, type: string): boolean {
  switch (type) {
    case 'null':
      return value === null;
    case 'array':
      return Array.isArray(value);
    case 'object':
      return isFields(value);
    case 'integer':
      return Number.isInteger(value);
    case 'string':
    case 'number':
    case 'boolean':
      return typeof value === type;
    default:
      return true;
  }
}

/** A bound of a schema, or none. */
function bound(schema: Fields, name: string, none: number): number {
  const value = schema[name];
  return typeof value === 'number' ? value : none;
}

function rangeProblem(schema: Fields): Problem | undefined {
  const [least, over] = [bound(schema, 'minimum', -Infinity), bound(schema, 'exclusiveMinimum', -Infinity)];
  const [most, under] = [bound(schema, 'maximum', Infinity), bound(schema, 'exclusiveMaximum', Infinity)];
  if (Math.max(least, over) === -Infinity && Math.min(most, under) === Infinity) return undefined;
  return (value) => {
    if (typeof value !== 'number') return undefined;
    return value < least || value > most || value <= over || value >= under ? 'is out of range' : undefined;
  };
}

function textProblem(schema: Fields): Problem | undefined {
  const [shortest, longest] = [bound(schema, 'minLength', 0), bound(schema, 'maxLength', Infinity)];
  const matches = typeof schema.pattern === 'string' ? patternOf(schema.pattern) : undefined;
  if (shortest === 0 && longest === Infinity && matches === undefined) return undefined;
  return (value) => {
    if (typeof value !== 'string') return undefined;
    if (value.length < shortest) return `has fewer than ${shortest} characters`;
    // A character beyond the 16-bit range is one or two, and a library may trim.
    const isLong = value.length > longest && value.trim().length > 2 * longest;
    if (isLong) return `has more than ${longest} characters`;
    return matches === undefined || matches(value) || matches(value.trim()) ? undefined : 'has the wrong form';
  };
}

const flagsOfPatterns = ['u', '', 'iu', 'i'];
/** Texts of several lines are left to the library: there, the flags `m` and `s` matter. */
const lineBreak = /[\n\r\u2028\u2029]/;

/** Longer texts are left to the library: a pattern is tried with several flags here. */
const maxMatched = 1000;

/**
 * Whether a text matches a pattern with any flags, which JSON Schema leaves out; `undefined` if that may take more than
 * linear time. What is fast with the flags of its author need not be with others: `^([A-Z][a-z]+)*$` takes exponential
 * time where case is ignored.
 */
function patternOf(source: string): ((text: string) => boolean) | undefined {
  if (!isLinear(source)) return undefined;
  const patterns = flagsOfPatterns.flatMap((flags) => {
    try {
      return [new RegExp(source, flags)];
    } catch {
      return [];
    }
  });
  const isLeft = (text: string): boolean => text.length > maxMatched || lineBreak.test(text) || patterns.length === 0;
  return (text) => isLeft(text) || patterns.some((pattern) => pattern.test(text));
}

/** Without groups and alternatives; either nothing is repeated, or one thing after the start of the text. */
function isLinear(source: string): boolean {
  const outside = source.replace(/\\./g, 'e').replace(/\[[^\]]*\]/g, 'c');
  const repeated = outside.match(/[*+?{]/g)?.length ?? 0;
  return !/[(|]/.test(outside) && (repeated === 0 || (repeated === 1 && outside.startsWith('^')));
}

const isFields = (value: unknown): boolean => typeof value === 'object' && value !== null && !Array.isArray(value);
const isScalar = (value: unknown): boolean => typeof value !== 'object' || value === null;
