/** Finds and validates the marks in a tool's schema that repeat a parameter in an HTTP header. */
import { isRecord } from '../lib/values/is.ts';

const mark = 'x-mcp-header';
const token = /^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/;
const types: ReadonlySet<unknown> = new Set(['string', 'integer', 'boolean']);
/** Keywords whose values are data, not schemas. */
const data: ReadonlySet<string> = new Set(['const', 'default', 'enum', 'examples', mark]);

/** A marked parameter: the path of properties to it, and the last part of its header's name. */
export interface HeaderMark {
  readonly name: string;
  readonly path: readonly string[];
}

export interface MarkProblem {
  /** The keywords and properties that lead to the mark. */
  readonly path: readonly string[];
  readonly problem: string;
  readonly hint: string;
}

/** All marks of a schema, or the first invalid one. */
export function headerMarksOf(schema: unknown): readonly HeaderMark[] | MarkProblem {
  const marks = new Map<string, HeaderMark>();
  return collectMarks(schema, [], true, marks) ?? [...marks.values()];
}

export const isMarkProblem = (found: readonly HeaderMark[] | MarkProblem): found is MarkProblem => 'problem' in found;

/** `isReachable` is true where only a chain of `properties` leads to the schema. */
function collectMarks(
  schema: unknown,
  path: readonly string[],
  isReachable: boolean,
  marks: Map<string, HeaderMark>,
): MarkProblem | undefined {
  if (Array.isArray(schema)) return first(schema, (each) => collectMarks(each, path, false, marks));
  if (!isRecord(schema)) return undefined;
  const own = schema[mark] === undefined ? undefined : readMark(schema, path, isReachable, marks);
  if (own !== undefined) return own;
  return first(Object.entries(schema), ([keyword, value]) => {
    if (keyword === 'properties' && isRecord(value))
      return first(Object.entries(value), ([name, property]) =>
        collectMarks(property, [...path, name], isReachable, marks),
      );
    return data.has(keyword) ? undefined : collectMarks(value, [...path, keyword], false, marks);
  });
}

function first<T>(items: readonly T[], find: (item: T) => MarkProblem | undefined): MarkProblem | undefined {
  for (const item of items) {
    const found = find(item);
    if (found !== undefined) return found;
  }
  return undefined;
}

function readMark(
  schema: Record<string, unknown>,
  path: readonly string[],
  isReachable: boolean,
  marks: Map<string, HeaderMark>,
): MarkProblem | undefined {
  const name = schema[mark];
  const wrong = (problem: string, hint: string): MarkProblem => ({ path, problem, hint });
  if (typeof name !== 'string' || !token.test(name))
    return wrong('the value cannot be part of a header name.', 'Use letters, digits and dashes.');
  if (!isReachable)
    return wrong(
      'the property is inside a list or a combined schema.',
      'Mark a property of the object, or of an object in it.',
    );
  if (!types.has(schema.type))
    return wrong('only a string, an integer or a boolean fits into a header.', 'Mark another property.');
  if (marks.has(name.toLowerCase()))
    return wrong('another property has this header.', 'Give each a name of its own; case does not count.');
  marks.set(name.toLowerCase(), { name, path });
  return undefined;
}
