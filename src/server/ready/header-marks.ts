/** Marks in a tool's schema that have parameters repeated in headers: refused where no client could follow them. */
import { isRecord } from '../../protocol/model/primitives.ts';
import { refused } from './refusal.ts';

const mark = 'x-mcp-header';
const token = /^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/;
const types: ReadonlySet<unknown> = new Set(['string', 'integer', 'boolean']);
/** Keywords whose values are data, not schemas. */
const data: ReadonlySet<string> = new Set(['const', 'default', 'enum', 'examples', mark]);

/** Throws `invalid-definition` with the place of a mark that is none. */
export function checkHeaderMarks(place: string, schema: unknown): void {
  look(schema, place, true, new Set());
}

/** `isReachable` where nothing but a chain of properties leads to the schema. */
function look(schema: unknown, place: string, isReachable: boolean, taken: Set<string>): void {
  if (Array.isArray(schema)) for (const each of schema) look(each, place, false, taken);
  if (!isRecord(schema)) return;
  if (schema[mark] !== undefined) checkMark(schema, place, isReachable, taken);
  for (const [keyword, value] of Object.entries(schema)) {
    if (keyword === 'properties' && isRecord(value))
      for (const [name, property] of Object.entries(value)) look(property, `${place}.${name}`, isReachable, taken);
    else if (!data.has(keyword)) look(value, `${place}.${keyword}`, false, taken);
  }
}

function checkMark(schema: Record<string, unknown>, place: string, isReachable: boolean, taken: Set<string>): void {
  const name = schema[mark];
  const at = `${place}["${mark}"]`;
  if (typeof name !== 'string' || !token.test(name))
    throw refused(`${at}: not the end of a header's name.`, 'Use letters, digits and dashes.');
  if (!isReachable)
    throw refused(
      `${at}: more than properties of objects lead here.`,
      'Mark a property of the object, or of one in it.',
    );
  if (!types.has(schema.type))
    throw refused(`${at}: only a string, an integer or a boolean fits into a header.`, 'Mark another property.');
  if (taken.has(name.toLowerCase()))
    throw refused(`${at}: another property has this header.`, 'Give each a name of its own; case does not count.');
  taken.add(name.toLowerCase());
}
