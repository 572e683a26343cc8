/** Wraps structured output in an object, for revisions that allow only objects. */

import type { Fields } from '../../lib/values/is.ts';
import { isRecord } from '../../lib/values/is.ts';
import type { Fit } from './steps.ts';

/** A schema for `{ value: … }` around a schema whose root is not an object; its own references keep their meaning. */
export function objectSchema(schema: Fields): Fields {
  if (schema.type === 'object') return schema;
  if (describesObject(schema)) return { ...schema, type: 'object' };
  const { $schema, ...whole } = schema;
  const head = $schema === undefined ? {} : { $schema };
  if (hasId(whole)) return { ...head, type: 'object', properties: { value: whole }, required: ['value'] };
  const { $defs, definitions, ...root } = whole;
  return {
    ...head,
    type: 'object',
    properties: { value: moved(root) },
    required: ['value'],
    ...($defs === undefined ? {} : { $defs: moved($defs) }),
    ...(definitions === undefined ? {} : { definitions: moved(definitions) }),
  };
}

/** A schema with an id is a document of its own: its references point into itself. */
const hasId = ({ $id }: Fields): boolean => typeof $id === 'string' && !$id.startsWith('#');

/** Moves references to the old root, and to places in it, below `properties/value`. */
function moved(part: unknown): unknown {
  if (Array.isArray(part)) return part.map(moved);
  if (!isRecord(part) || hasId(part)) return part;
  return Object.fromEntries(
    Object.entries(part).map(([key, value]) => [
      key,
      key === '$ref' && typeof value === 'string' ? movedRef(value) : moved(value),
    ]),
  );
}

const movedRef = (ref: string): string =>
  ref === '#' || (ref.startsWith('#/') && !/^#\/(\$defs|definitions)\//.test(ref))
    ? `#/properties/value${ref.slice(1)}`
    : ref;

/** Whether a schema allows objects only: by its type, by all of its choices, or by one of the parts that all have to hold. */
export function describesObject(schema: unknown, root: unknown = schema, refs: readonly string[] = []): boolean {
  if (!isRecord(schema) || (schema !== root && hasId(schema))) return false;
  const { type, $ref, anyOf, oneOf, allOf } = schema;
  if (type !== undefined) return type === 'object';
  const holds = (part: unknown): boolean => describesObject(part, root, refs);
  if ([anyOf, oneOf].some((choices) => Array.isArray(choices) && choices.length > 0 && choices.every(holds)))
    return true;
  if (Array.isArray(allOf) && allOf.some(holds)) return true;
  if (typeof $ref !== 'string' || refs.includes($ref)) return false;
  return describesObject(definitionAt(root, $ref), root, [...refs, $ref]);
}

/** The definition that a reference inside the same document points to. */
function definitionAt(root: unknown, ref: string): unknown {
  const [, list, name] = /^#\/(\$defs|definitions)\/([^/~%]+)$/.exec(ref) ?? [];
  const definitions = isRecord(root) && list !== undefined ? root[list] : undefined;
  return isRecord(definitions) && name !== undefined && Object.hasOwn(definitions, name)
    ? definitions[name]
    : undefined;
}

/** The key of `_meta` which marks structured content that was wrapped in `value` for the revision. */
const wrapped = 'tenon/wrapped';

/** The structured content that goes with `objectSchema`. */
export function objectContent(result: Fields, outputRoot: 'object' | 'any' | undefined): Fields {
  const value = result.structuredContent;
  const fits = outputRoot === undefined ? isRecord(value) : outputRoot === 'object';
  if (value === undefined || fits) return result;
  const meta = isRecord(result._meta) ? result._meta : {};
  return { ...result, structuredContent: { value }, _meta: { ...meta, [wrapped]: true } };
}

/** A result with its structured content unwrapped, as the tool returned it. */
export function ownContent(result: Fields): Fields {
  const { structuredContent, _meta, ...rest } = result;
  if (!isRecord(_meta) || _meta[wrapped] !== true || !isRecord(structuredContent)) return result;
  const { [wrapped]: _, ...meta } = _meta;
  const own = { ...rest, structuredContent: structuredContent.value };
  return Object.keys(meta).length === 0 ? own : { ...own, _meta: meta };
}

/** The same for a tool result in a sampling message. */
export const objectToolResult: Fit = (block) =>
  block.type === 'tool_result' ? objectContent(block, undefined) : block;
