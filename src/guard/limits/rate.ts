/** One limit of callers: its options, and the token bucket that they describe. */
import type { Rule } from '../../lib/options/option-rules.ts';
import { isRecord } from '../../lib/values/is.ts';
import type { TokenBucket } from '../../store/limit-store.ts';

/** How often, as a text such as `100/min`, `5/s`, `1000/h` or `20/d`. */
export type Rate = string;

/**
 * A token bucket, and how many calls run at once.
 * @area guard
 * @of `limits.perPrincipal`, `.perAddress` and `.perTool`
 */
export interface LimitOptions {
  /**
   * How often. The bucket fills evenly: `60/min` is one a second.
   * @default off
   * @rule rateText
   */
  readonly rate?: Rate;
  /**
   * How many may come at once, after a pause; no call of a principal or an address may cost more.
   * @default computed the number of the rate
   * @whole
   * @beyond 429; for a cost without a time to wait
   * @code rate-limited
   */
  readonly burst?: number;
  /**
   * How many may run at once.
   * @default off
   * @whole
   * @beyond 429
   * @code rate-limited
   */
  readonly concurrent?: number;
}

/**
 * The limit of one tool.
 * @area guard
 * @of `limits.perTool`
 */
export interface ToolLimitOptions extends LimitOptions {
  /**
   * Whether all callers share the limit. Otherwise each caller has its own.
   * @default false
   */
  readonly shared?: boolean;
}

export const rateText: Rule = {
  holds: (value) => readRate(value) !== undefined,
  must: "be a text such as '100/min': a number, a slash, and s, min, h or d",
};

/** The token bucket of a limit, if it has one. */
export function bucketOf(limit: Rate | LimitOptions | undefined): TokenBucket | undefined {
  return isRecord(limit) ? readRate(limit.rate, (limit as LimitOptions).burst) : readRate(limit);
}

const units: Readonly<Record<string, number>> = {
  s: 1000,
  sec: 1000,
  second: 1000,
  min: 60_000,
  minute: 60_000,
  h: 3_600_000,
  hour: 3_600_000,
  d: 86_400_000,
  day: 86_400_000,
};

/** `undefined` for a text that is no rate. `burst` is how many tokens the bucket holds, by default as many as the rate has. */
function readRate(text: unknown, burst?: number): TokenBucket | undefined {
  const [, amount, unit = ''] = (typeof text === 'string' && /^\s*(\d{1,12})\s*\/\s*([a-z]+)\s*$/.exec(text)) || [];
  const perMs = Object.hasOwn(units, unit) ? units[unit] : undefined;
  const tokens = Number(amount);
  return perMs === undefined || tokens === 0 ? undefined : { tokens, perMs, burst: burst ?? tokens };
}
