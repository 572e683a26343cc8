/** Copies values for logs and errors with their secrets masked. */

import { readOptions } from '../lib/options/read-options.ts';
import { hasSecretValue, isCounted, isSecretName, isTokensName } from '../lib/text/secret-names.ts';
import { masked, maskText } from '../lib/text/secret-text.ts';
import { maskOptions } from './mask-options.table.ts';
import type { MaskOptions } from './mask-options.ts';

/**
 * Levels of a value of `maskSecrets`.
 * @limit input safety
 * @beyond deeper values are left out
 */
const maxDepth = 32;

/**
 * Values in a value of `maskSecrets`.
 * @limit input safety
 * @beyond the rest is left out
 */
const maxValues = 20_000;

/**
 * Copies a text or a value and replaces each secret by `[masked]`. Secrets are the values of fields such as `authorization`,
 * `token`, `password`, `api_key` and `cookie`, and in any text bearer tokens, JSON Web Tokens, private keys, keys of known
 * providers and passwords in URLs. Values nested deeper than 32 levels, circular ones, and those beyond the first 20,000 are left out.
 */
export function maskSecrets<T>(value: T, options: MaskOptions = {}): T {
  return new Masker(readOptions('maskSecrets()', maskOptions, options)).copy(value, 0) as T;
}

class Masker {
  readonly #fields: ReadonlySet<string>;
  readonly #patterns: readonly RegExp[];
  readonly #around = new Set<object>();
  #left = maxValues;

  constructor({ fields, patterns }: Required<MaskOptions>) {
    this.#fields = new Set(fields.map(plainName));
    this.#patterns = patterns;
  }

  copy(value: unknown, depth: number): unknown {
    if (this.#left-- <= 0) return '[left out]';
    if (typeof value === 'string') return maskText(value, this.#patterns);
    if (typeof value === 'function') return '[function]';
    if (typeof value !== 'object' || value === null) return value;
    if (depth === maxDepth) return '[nested too deep]';
    if (this.#around.has(value)) return '[circular]';
    this.#around.add(value);
    const copied = this.#copyObject(value, depth + 1);
    this.#around.delete(value);
    return copied;
  }

  #copyObject(value: object, depth: number): unknown {
    if (Array.isArray(value)) return this.#copyAll(value, depth);
    if (value instanceof Date || value instanceof RegExp) return value;
    if (value instanceof URL) return maskText(value.href, this.#patterns);
    if (ArrayBuffer.isView(value) || value instanceof ArrayBuffer) return `[${value.byteLength} bytes]`;
    if (value instanceof Set) return new Set(this.#copyAll([...value], depth));
    if (value instanceof Map || value instanceof Headers) return this.#copyMap(value, depth);
    if (value instanceof Error) return this.#copyFields(value, [...errorKeys, ...Object.keys(value)], depth);
    const copied = this.#copyFields(value, Object.keys(value), depth);
    return hasSecretValue(value) ? { ...copied, value: masked } : copied;
  }

  /** Stops when the limit on values is used up, so that a long list costs no more. */
  #copyAll(values: readonly unknown[], depth: number): unknown[] {
    const copied: unknown[] = [];
    for (const value of values) {
      copied.push(this.copy(value, depth));
      if (this.#left < 0) break;
    }
    return copied;
  }

  #copyMap(map: Map<unknown, unknown> | Headers, depth: number): Map<unknown, unknown> | Record<string, unknown> {
    const copied = [...map].map(([key, value]) => [key, this.#field(String(key), value, depth)] as const);
    return map instanceof Map ? new Map(copied) : (Object.fromEntries(copied) as Record<string, unknown>);
  }

  /** `fromEntries` gives a key named `__proto__` no meaning. */
  #copyFields(holder: object, keys: readonly string[], depth: number): Record<string, unknown> {
    const copied: [string, unknown][] = [];
    for (const key of new Set(keys)) {
      const value = readField(holder, key);
      if (value !== undefined) copied.push([key, this.#field(key, value, depth)]);
      if (this.#left < 0) break;
    }
    return Object.fromEntries(copied);
  }

  #field(name: string, value: unknown, depth: number): unknown {
    const isSecret =
      isSecretName(name) || this.#fields.has(plainName(name)) || (isTokensName(name) && !isCounted(value));
    const isHarmless = value === undefined || value === null || typeof value === 'boolean';
    return isSecret && !isHarmless ? masked : this.copy(value, depth);
  }
}

const errorKeys = ['name', 'message', 'code', 'stack', 'cause'];

const plainName = (name: string): string => name.toLowerCase().replace(/[^\p{L}\p{N}]/gu, '');

/** A getter may throw; a log line should not. */
function readField(holder: object, key: string): unknown {
  try {
    return (holder as Record<string, unknown>)[key];
  } catch {
    return '[not readable]';
  }
}
