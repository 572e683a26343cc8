/** Finds and validates the marks in a tool's schema that repeat a parameter in an HTTP header. */
import { isRecord } from '../lib/values/is.ts';

const mark = 'x-mcp-header';
const token = /^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/;
const types: ReadonlySet<unknown> = new Set(['string', 'integer', 'boolean']);
/** Keywords whose values are data, not schemas. */
const data: ReadonlySet<string> = new Set(['const', 'default', 'enum', 'examples', mark]);

/** A parameter, by the properties that lead to it, and the end of its header's name. */
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
  const marks: HeaderMark[] = [];
  return look(schema, [], true, marks) ?? marks;
}

export const isMarkProblem = (found: readonly HeaderMark[] | MarkProblem): found is MarkProblem => 'problem' in found;

/** `isReachable` is true where only a chain of `properties` leads to the schema. */
function look(
  schema: unknown,
  path: readonly string[],
  isReachable: boolean,
  marks: HeaderMark[],
): MarkProblem | undefined {
  if (Array.isArray(schema)) return first(schema, (each) => look(each, path, false, marks));
  if (!isRecord(schema)) return undefined;
  const own = schema[mark] === undefined ? undefined : take(schema, path, isReachable, marks);
  if (own !== undefined) return own;
  return first(Object.entries(schema), ([keyword, value]) => {
    if (keyword === 'properties' && isRecord(value))
      return first(Object.entries(value), ([name, property]) => look(property, [...path, name], isReachable, marks));
    return data.has(keyword) ? undefined : look(value, [...path, keyword], false, marks);
  });
}

function first<T>(items: readonly T[], find: (item: T) => MarkProblem | undefined): MarkProblem | undefined {
  for (const item of items) {
    const found = find(item);
    if (found !== undefined) return found;
  }
  return undefined;
}

function take(
  schema: Record<string, unknown>,
  path: readonly string[],
  isReachable: boolean,
  marks: HeaderMark[],
): MarkProblem | undefined {
  const name = schema[mark];
  const wrong = (problem: string, hint: string): MarkProblem => ({ path, problem, hint });
  if (typeof name !== 'string' || !token.test(name))
    return wrong("not the end of a header's name.", 'Use letters, digits and dashes.');
  if (!isReachable)
    return wrong('more than properties of objects lead here.', 'Mark a property of the object, or of one in it.');
  if (!types.has(schema.type))
    return wrong('only a string, an integer or a boolean fits into a header.', 'Mark another property.');
  if (marks.some((other) => other.name.toLowerCase() === name.toLowerCase()))
    return wrong('another property has this header.', 'Give each a name of its own; case does not count.');
  marks.push({ name, path });
  return undefined;
}
