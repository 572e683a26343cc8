/** Results as JSON text: cached where a result is sent again and again, and put together by hand where it is a single text. */
import { isUnsafe } from '../jsonrpc/limits.ts';
import type { Fields } from '../lib/values/is.ts';
import type { Implementation } from './generated/types/records.ts';
import type { Done, Outcome, Refusal } from './neutral.ts';
import type { Revision } from './revision.ts';

/** A property, not a WeakMap: the lookup runs for every result, and must be free where there is none. */
const cache = Symbol('cached texts');

interface CachedDone extends Done {
  readonly [cache]: Map<Revision, string>;
}

/** A result whose text is cached, one for each revision. It may not be changed from here on. */
export const withCachedText = (done: Done): Done => ({ ...done, [cache]: new Map() }) as CachedDone;

/** A result of the server as JSON text, or why it breaks the protocol. Throws where it cannot be written as JSON. */
export function writeResultText(
  revision: Revision,
  method: string,
  outcome: Outcome,
  by: Implementation,
): string | Refusal {
  const texts = (outcome as Partial<CachedDone>)[cache];
  const known = texts?.get(revision);
  if (known !== undefined) return known;
  const written = revision.wire.writeResult(revision, 'client', method, outcome, by);
  if (!written.ok) return written.refusal;
  const text = shortText(written.value) ?? jsonOf(written.value);
  texts?.set(revision, text);
  return text;
}

/** `toJSON` may return undefined, which is no JSON. */
function jsonOf(value: unknown): string {
  const text = JSON.stringify(value) as string | undefined;
  if (text === undefined) throw new TypeError('toJSON() returned undefined.');
  return text;
}

const metaTexts = new WeakMap<object, string>();

/** Deeper than any `_meta` that follows the types. */
const deepestMeta = 10;

/**
 * Caches the text of a `_meta` that comes with one result after another, unless it has to be checked each time. It may
 * not be changed from here on.
 */
export function cacheMetaText<T extends Fields>(meta: T): T {
  const text = JSON.stringify(meta);
  if (!isUnsafe(JSON.parse(text), deepestMeta)) metaTexts.set(meta, text);
  return meta;
}

/**
 * The text of a result that is one text, as most are: this takes a sixth of the time of JSON.stringify. `undefined` for
 * all others, and for long ones, where JSON.stringify is as good.
 */
export function shortText(result: unknown): string | undefined {
  if (typeof result !== 'object' || result === null) return undefined;
  for (const key in result) if (key !== 'content' && key !== 'resultType' && key !== '_meta') return undefined;
  const { content, resultType, _meta } = result as Fields;
  if (!isOrdinary(result) || !Array.isArray(content) || content.length !== 1) return undefined;
  const quoted = quotedText(content[0]);
  if (quoted === undefined) return undefined;
  const body = `{"content":[{"type":"text","text":${quoted}}]`;
  if (resultType === undefined && _meta === undefined) return `${body}}`;
  const meta = metaTexts.get(_meta as object);
  return meta === undefined || resultType !== 'complete'
    ? undefined
    : `${body},"resultType":"complete","_meta":${meta}}`;
}

function quotedText(block: unknown): string | undefined {
  for (const key in block as Fields) if (key !== 'type' && key !== 'text') return undefined;
  const { type, text } = block as Fields;
  if (type !== 'text' || typeof text !== 'string' || text.length > maxLength || !isOrdinary(block)) return undefined;
  return needsEscapes.test(text) ? JSON.stringify(text) : `"${text}"`;
}

const maxLength = 2000;
/** Characters that JSON escapes, and lone surrogates. */
const needsEscapes = /[^\x20-\x21\x23-\x5b\x5d-\ud7ff\ue000-\uffff]/;

/** An object of no class, which could have a `toJSON` of its own. */
const isOrdinary = (value: unknown): boolean => Object.getPrototypeOf(value) === Object.prototype;
