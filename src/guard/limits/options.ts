/** The option `limits` of a guard. */
import type { LimitStore } from '../../store/limit-store.ts';
import type { LimitOptions, Rate, ToolLimitOptions } from './rate.ts';

/** What a call of a tool costs: a number, or a function of its arguments, which gets them after validation. */
export type CallCost = number | ((args: Readonly<Record<string, unknown>>) => number);

/**
 * How much callers may use. A call that is over a limit gets `rate-limited`, with the time to wait.
 * @area guard
 */
export interface GuardLimits {
  /**
   * Requests of one principal. A caller without a principal counts by its address.
   * @default off
   * @rule callerLimit
   * @beyond 429, with the time to wait
   * @code rate-limited
   */
  readonly perPrincipal?: Rate | LimitOptions;
  /**
   * Requests of one address, of all its principals together. An IPv6 address counts by its first 64 bits.
   * @default off
   * @rule callerLimit
   * @beyond 429, with the time to wait
   * @code rate-limited
   */
  readonly perAddress?: Rate | LimitOptions;
  /**
   * Calls of tools, by name. Each counts once, whatever it costs.
   * @default off
   * @rule limitsByTool
   * @beyond 429, with the time to wait
   * @code rate-limited
   */
  readonly perTool?: Readonly<Record<string, Rate | ToolLimitOptions>>;
  /**
   * Requests of one principal at once, like `perPrincipal.concurrent`.
   * @default off
   * @whole
   * @beyond 429
   * @code rate-limited
   */
  readonly concurrent?: number;
  /**
   * What calls of tools cost, by name: so many tokens of `perPrincipal` and `perAddress`. Everything else costs 1.
   * @default off
   * @rule costsByTool
   */
  readonly costs?: Readonly<Record<string, CallCost>>;
  /**
   * Where buckets are stored. Nodes that share it share the limits.
   * @default computed `limits` of the `store` of the server; without one, memory of this process
   * @rule limitStore
   */
  readonly store?: LimitStore;
}

/**
 * How long the store of limits may take.
 * @limit GuardLimits.storeTimeoutMs
 * @beyond 503; `onError` gets the code
 * @code store-failed
 */
export const storeTimeoutMs = 2000;
