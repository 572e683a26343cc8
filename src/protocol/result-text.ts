/** The JSON of a result that is a single text, as most are: put together by hand it takes a sixth of what JSON.stringify does. */
import { isHarmful } from '../jsonrpc/limits.ts';
import type { Fields } from './neutral.ts';

const texts = new WeakMap<Fields, string>();

/** Deeper than any `_meta` of a server that is put together by the types. */
const deepestMeta = 10;

/**
 * Keeps the text of a `_meta` that comes with one result after another, unless it is one that has to be looked at each
 * time. Nobody may change it from here on.
 */
export function keepMetaText<T extends Fields>(meta: T): T {
  const text = JSON.stringify(meta);
  if (!isHarmful(JSON.parse(text), deepestMeta)) texts.set(meta, text);
  return meta;
}

/** Absent for every other result, and for those that are long: there JSON.stringify is as good. */
export function shortText(result: Fields): string | undefined {
  for (const key in result) if (key !== 'content' && key !== 'resultType' && key !== '_meta') return undefined;
  const { content, resultType, _meta } = result;
  if (!isOrdinary(result) || !Array.isArray(content) || content.length !== 1) return undefined;
  const said = quotedText(content[0]);
  if (said === undefined) return undefined;
  const body = `{"content":[{"type":"text","text":${said}}]`;
  if (resultType === undefined && _meta === undefined) return `${body}}`;
  const meta = texts.get(_meta as Fields);
  return meta === undefined || resultType !== 'complete'
    ? undefined
    : `${body},"resultType":"complete","_meta":${meta}}`;
}

function quotedText(block: unknown): string | undefined {
  for (const key in block as Fields) if (key !== 'type' && key !== 'text') return undefined;
  const { type, text } = block as Fields;
  if (type !== 'text' || typeof text !== 'string' || text.length > longest || !isOrdinary(block)) return undefined;
  return needsEscapes.test(text) ? JSON.stringify(text) : `"${text}"`;
}

const longest = 2000;
/** Whatever JSON writes otherwise than it stands, and half characters, which it may not hold. */
const needsEscapes = /[^\x20-\x21\x23-\x5b\x5d-\ud7ff\ue000-\uffff]/;

/** An object that does not write itself in a way of its own. */
const isOrdinary = (value: unknown): boolean => Object.getPrototypeOf(value) === Object.prototype;
