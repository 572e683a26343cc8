/** Brings structured output of any kind into an object, for revisions that allow nothing else. */
import { isRecord } from '../model/primitives.ts';
import type { Fields } from '../neutral.ts';
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

/** A schema with an id is a document of its own wherever it stands: its references mean places in itself. */
const hasId = ({ $id }: Fields): boolean => typeof $id === 'string' && !$id.startsWith('#');

/** References to the old root, or to a place in it, point below `properties/value` afterwards. */
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

/** Whether all that a schema allows are objects, by itself or by every one of its choices. */
export function describesObject(schema: unknown): boolean {
  if (!isRecord(schema)) return false;
  if (schema.type !== undefined) return schema.type === 'object';
  const choices = schema.anyOf ?? schema.oneOf;
  return Array.isArray(choices) && choices.length > 0 && choices.every(describesObject);
}

/** Says in `_meta` that structured content stands under `value` only because of the revision. */
const wrapped = 'tenon/wrapped';

/** The structured content that goes with `objectSchema`. */
export function objectContent(result: Fields, outputRoot: 'object' | 'any' | undefined): Fields {
  const value = result.structuredContent;
  const fits = outputRoot === undefined ? isRecord(value) : outputRoot === 'object';
  if (value === undefined || fits) return result;
  const meta = isRecord(result._meta) ? result._meta : {};
  return { ...result, structuredContent: { value }, _meta: { ...meta, [wrapped]: true } };
}

/** A result with its structured content as the tool gave it. */
export function ownContent(result: Fields): Fields {
  const { structuredContent, _meta, ...rest } = result;
  if (!isRecord(_meta) || _meta[wrapped] !== true || !isRecord(structuredContent)) return result;
  const { [wrapped]: _, ...meta } = _meta;
  const own = { ...rest, structuredContent: structuredContent.value };
  return Object.keys(meta).length === 0 ? own : { ...own, _meta: meta };
}

/** A result that a model is shown of a tool it used, likewise. */
export const objectToolResult: Fit = (block) =>
  block.type === 'tool_result' ? objectContent(block, undefined) : block;
