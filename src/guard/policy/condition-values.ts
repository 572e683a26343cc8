/** The variables of conditions: arguments and principal as CEL values, within bounds. */
import type { Principal } from '../../ports/principal.ts';
import { maxItems, maxValueChars, maxValueDepth, maxValues } from './limits.ts';
import type { PolicyAction, PolicyTarget } from './rule.ts';

/** Thrown where the input is over a bound; the condition then fails. */
export class ConditionInputError extends Error {}

/** A request that a policy decides about. */
export interface DecisionRequest {
  /** Who sends the request, if it is known. */
  readonly principal?: Principal | undefined;
  /** The address of the client; empty or absent if it is not known. */
  readonly address?: string | undefined;
  /** What is done. */
  readonly action: PolicyAction;
  /** What it is done to. */
  readonly target: PolicyTarget;
  /** The validated arguments. */
  readonly arguments?: Readonly<Record<string, unknown>> | undefined;
}

/** The unknown values of a request that is decided again: its private values may be deleted. */
export interface UnknownValues {
  /** Whether the arguments are unknown. */
  readonly arguments: boolean;
  /** Whether the claims of the principal are unknown. */
  readonly claims: boolean;
}

export type ConditionVariables = Readonly<Record<string, unknown>>;

/** The variables by their CEL types. */
export const conditionVariables = {
  args: 'map',
  principal: 'map',
  address: 'string',
  action: 'string',
  target: 'map',
} as const;

/** Missing values are absent: reading one fails, and `has()` tests for it. */
export function variablesOf(input: DecisionRequest, unknown?: UnknownValues): ConditionVariables {
  const converter = new Converter();
  const { principal, address, action, target } = input;
  const { issuer, subject, client, scopes = [], roles = [] } = principal ?? {};
  const claims = unknown?.claims === true ? undefined : (principal?.claims ?? {});
  return {
    ...(unknown?.arguments !== true && { args: converter.convert(input.arguments ?? {}, 0) }),
    principal: converter.convert({ issuer, subject, client, scopes, roles, claims }, 0),
    ...(address && { address }),
    action,
    target: converter.convert(target, 0),
  };
}

/** Objects become maps, so that names such as `constructor` mean nothing; whole numbers become integers, and dates texts. */
class Converter {
  #values = 0;
  #chars = 0;

  convert(value: unknown, depth: number): unknown {
    this.#values++;
    if (this.#values > maxValues) throw over('values', maxValues);
    if (typeof value === 'string') return this.#text(value);
    if (typeof value === 'number') return Number.isSafeInteger(value) ? BigInt(value) : value;
    if (typeof value === 'boolean' || value === null) return value;
    if (value instanceof Date) return value.toISOString();
    if (typeof value !== 'object' || !isPlain(value))
      throw new ConditionInputError('the input has a value that is not JSON');
    if (depth >= maxValueDepth) throw over('levels of nesting', maxValueDepth);
    if (Array.isArray(value)) {
      if (value.length > maxItems) throw over('entries in a list', maxItems);
      return value.map((one) => this.convert(one, depth + 1));
    }
    const entries = Object.entries(value);
    if (entries.length > maxItems) throw over('members of an object', maxItems);
    const map = new Map<string, unknown>();
    for (const [key, one] of entries) {
      if (one !== undefined) map.set(this.#text(key), this.convert(one, depth + 1));
    }
    return map;
  }

  #text(text: string): string {
    this.#chars += text.length;
    if (this.#chars > maxValueChars) throw over('characters', maxValueChars);
    return text;
  }
}

/** A set or map of a schema library would look empty. */
const isPlain = (value: object): boolean =>
  Array.isArray(value) || [Object.prototype, null].includes(Object.getPrototypeOf(value));

const over = (what: string, most: number): ConditionInputError =>
  new ConditionInputError(`the input has more than ${most} ${what}`);
