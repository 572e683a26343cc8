/** Rates as texts, such as `100/min`. */
import type { TokenBucket } from '../../store/limits/limit-store.ts';

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

export const rateForm = "be a text such as '100/min': a number, a slash, and s, min, h or d";

/** `undefined` for a text that is no rate. `burst` is how many tokens the bucket holds, by default as many as the rate has. */
export function readRate(text: unknown, burst?: number): TokenBucket | undefined {
  const [, amount, unit = ''] = (typeof text === 'string' && /^\s*(\d{1,12})\s*\/\s*([a-z]+)\s*$/.exec(text)) || [];
  const perMs = Object.hasOwn(units, unit) ? units[unit] : undefined;
  const tokens = Number(amount);
  return perMs === undefined || tokens === 0 ? undefined : { tokens, perMs, burst: burst ?? tokens };
}
