/** Brings structured output of any kind into an object, for revisions that allow nothing else. */
import { isRecord } from '../model/primitives.ts';
import type { Fields } from '../neutral.ts';
import type { Fit } from './steps.ts';

/** A schema for `{ value: … }` around a schema whose root is not an object; its own references keep their meaning. */
export function objectSchema(schema: Fields): Fields {
  if (schema.type === 'object') return schema;
  const { $schema, $defs, definitions, ...root } = schema;
  return {
    ...($schema === undefined ? {} : { $schema }),
    type: 'object',
    properties: { value: moved(root) },
    required: ['value'],
    ...($defs === undefined ? {} : { $defs: moved($defs) }),
    ...(definitions === undefined ? {} : { definitions: moved(definitions) }),
  };
}

/** References to the old root, or to a place in it, point below `properties/value` afterwards. */
function moved(part: unknown): unknown {
  if (Array.isArray(part)) return part.map(moved);
  if (!isRecord(part)) return part;
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

/** The structured content that goes with `objectSchema`. */
export function objectContent(result: Fields, outputRoot: 'object' | 'any' | undefined): Fields {
  const value = result.structuredContent;
  const fits = outputRoot === undefined ? isRecord(value) : outputRoot === 'object';
  return value === undefined || fits ? result : { ...result, structuredContent: { value } };
}

/** A result that a model is shown of a tool it used, likewise. */
export const objectToolResult: Fit = (block) =>
  block.type === 'tool_result' ? objectContent(block, undefined) : block;
