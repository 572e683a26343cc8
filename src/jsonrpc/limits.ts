/** The limits on size, depth and number of messages, and the check of a value against depth and unsafe keys. */
import { TenonError } from '../lib/errors/tenon-error.ts';

/** The limits that are checked. */
export interface MessageLimits {
  /** Characters (UTF-16 code units) of one frame. Bytes are limited where they are read: by lines and event streams. */
  readonly maxMessageChars: number;
  /** Levels of objects and lists inside params, result, error or any other field; at most 1000. */
  readonly maxDepth: number;
  /** Messages in one batch. */
  readonly maxBatch: number;
  /** Objects, lists, texts, numbers, booleans and nulls in one message of over 64 Ki characters. */
  readonly maxValues: number;
}

/**
 * Limits of messages that every transport has as options.
 * @area messages
 * @noTable
 */
export interface MessageLimitOptions {
  /**
   * Characters of one message.
   * @default computed 4 Mi over HTTP and in memory, or `maxBodyBytes` where that is larger; 16 Mi on stdio
   * @beyond rejected; on stdio the connection closes
   * @code message-too-large
   */
  readonly maxMessageChars?: number;
}

/**
 * Levels of nested objects and lists in a message.
 * @limit MessageLimitOptions.maxDepth
 * @beyond rejected
 * @code nesting-too-deep
 */
export const maxDepth = 128;

/**
 * Messages in one batch.
 * @limit MessageLimitOptions.maxBatch
 * @beyond rejected
 * @code batch-too-long
 */
export const maxBatch = 100;

/**
 * Objects, lists, texts, numbers, booleans and nulls in one message of over 64 Ki characters. Dense data of 4 Mi
 * characters, such as rows of numbers, has up to a million. Clients of a server may be unknown, and a validator visits
 * every value.
 * @limit MessageLimitOptions.maxValues
 * @default computed 100,000 for servers and 1,000,000 for clients, in proportion more where `limits.maxMessageChars` is raised
 * @beyond rejected before it is parsed
 * @code too-many-values
 */
export const maxValues = { server: 100_000, client: 1_000_000 } as const;

/** The most values of a message, where messages may have more characters than usual. */
export const valuesFor = (side: keyof typeof maxValues, chars: number, usualChars: number): number =>
  Math.max(maxValues[side], Math.floor((maxValues[side] * chars) / usualChars));

export const defaultLimits: MessageLimits = {
  maxMessageChars: 4 * 1024 * 1024,
  maxDepth,
  maxBatch,
  maxValues: maxValues.client,
};

/** The checks recurse, and this depth is sure to fit on the stack. */
export const deepest = 1000;

/** Fills in the default limits. Throws `invalid-definition` for an invalid limit. */
export function completeLimits(set: Partial<MessageLimits> | undefined): MessageLimits {
  const limits: Record<string, number> = { ...defaultLimits };
  for (const [name, limit] of Object.entries(set ?? {})) {
    if (limit === undefined) continue;
    const most = name === 'maxDepth' ? deepest : Number.MAX_SAFE_INTEGER;
    if (!Object.hasOwn(defaultLimits, name)) throw wrongLimit(name, `Limits are ${Object.keys(defaultLimits)}.`);
    if (!Number.isInteger(limit) || limit < 1 || limit > most) throw wrongLimit(name, `Give an integer, 1 to ${most}.`);
    limits[name] = limit;
  }
  return limits as unknown as MessageLimits;
}

const wrongLimit = (name: string, hint: string): TenonError =>
  new TenonError('invalid-definition', `limits.${name} is not a limit.`, { hint });

/** Whether a value is nested too deep, or has a key that could reach into prototypes when it is copied. */
export function isUnsafe(value: unknown, depth: number): boolean {
  return typeof value === 'object' && value !== null && isUnsafeObject(value, depth);
}

/** Tests values before it recurses: every message takes this path, and a call for each number and string is measurable. */
function isUnsafeObject(value: object, depth: number): boolean {
  if (depth === 0) return true;
  if (Array.isArray(value)) {
    for (let n = 0; n < value.length; n++) if (isUnsafe(value[n], depth - 1)) return true;
    return false;
  }
  for (const key in value) {
    if (key === '__proto__') return true;
    const inner = (value as Record<string, unknown>)[key];
    if (typeof inner === 'object' && inner !== null && isUnsafeObject(inner, depth - 1)) return true;
  }
  return false;
}

export interface UnsafePart {
  readonly code: 'nesting-too-deep' | 'unsafe-key';
  readonly place: string;
}

/** Finds the place in a value for which `isUnsafe` is true. The place of the outermost value is the empty string. */
export function findUnsafe(value: unknown, depth: number, place: string): UnsafePart | undefined {
  if (typeof value !== 'object' || value === null) return undefined;
  if (depth === 0) return { code: 'nesting-too-deep', place };
  for (const [key, inner] of Object.entries(value)) {
    const inside = step(place, key, Array.isArray(value));
    if (key === '__proto__') return { code: 'unsafe-key', place: inside };
    const unsafe = findUnsafe(inner, depth - 1, inside);
    if (unsafe !== undefined) return unsafe;
  }
  return undefined;
}

function step(place: string, key: string, inList: boolean): string {
  if (inList) return `${place}[${key}]`;
  return place === '' ? key : `${place}.${key}`;
}
