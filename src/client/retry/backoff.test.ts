/** The delay between attempts. */
import { array, assert, double, integer, property, record } from 'fast-check';
import { describe, expect, it } from 'vitest';
import { RpcError } from '../../jsonrpc/errors.ts';
import { TenonError } from '../../lib/errors/tenon-error.ts';
import { defaultsOf } from '../../lib/options/read-options.ts';
import { reconnectOptions } from '../api/reconnect-options.table.ts';
import { type Backoff, isPermanent, recent, retryAfterOf, waitMs } from './backoff.ts';

const options = { seed: 7, numRuns: 2000 };
const policies = record<Backoff>({
  initialDelayMs: integer({ min: 1, max: 10_000 }),
  maxDelayMs: integer({ min: 1, max: 600_000 }),
  maxAttemptsPerMinute: integer({ min: 1, max: 100 }),
});
const part = double({ min: 0, max: 1, maxExcluded: true, noNaN: true });
const failures = integer({ min: 1, max: 5000 });
const none = { times: [], now: 0, retryAfterMs: undefined };

describe('the delay before the next attempt', () => {
  it('is a random part of a delay that doubles with each failure, up to the maximum [S27]', () => {
    assert(
      property(policies, failures, part, (policy, failed, chance) => {
        const whole = Math.min(policy.maxDelayMs, policy.initialDelayMs * 2 ** Math.min(failed - 1, 40));
        const wait = waitMs(policy, { ...none, failures: failed }, () => chance);
        expect(wait).toBeGreaterThanOrEqual(0);
        expect(wait).toBeLessThanOrEqual(whole);
        expect(wait).toBeCloseTo(whole * chance, 5);
      }),
      options,
    );
  });

  it('is by default at most 500 ms after the first failure, and at most 30 s after many', () => {
    const longest = (failed: number): number =>
      waitMs(defaultsOf(reconnectOptions), { ...none, failures: failed }, () => 1);
    expect([1, 2, 3, 7, 100].map(longest)).toEqual([500, 1000, 2000, 30_000, 30_000]);
  });

  it('is at least Retry-After, up to five minutes', () => {
    assert(
      property(
        policies,
        failures,
        part,
        integer({ min: 1, max: 10_000_000 }),
        (policy, failed, chance, retryAfterMs) => {
          const wait = waitMs(policy, { ...none, failures: failed, retryAfterMs }, () => chance);
          const least = Math.min(retryAfterMs, 300_000);
          expect(wait).toBeGreaterThanOrEqual(least);
          expect(wait).toBeLessThanOrEqual(least + policy.initialDelayMs);
        },
      ),
      options,
    );
  });

  it('limits the attempts in every minute, for any random numbers', () => {
    assert(
      property(policies, array(part, { minLength: 1, maxLength: 300 }), (policy, chances) => {
        let now = 0;
        let made: number[] = [];
        for (const [index, chance] of chances.entries()) {
          made = [...recent(made, now), now];
          expect(made.length).toBeLessThanOrEqual(policy.maxAttemptsPerMinute);
          // The worst case: attempts that take no time.
          now += Math.ceil(
            waitMs(policy, { failures: index + 1, times: made, now, retryAfterMs: undefined }, () => chance * 1e-3),
          );
        }
      }),
      { seed: 7, numRuns: 300 },
    );
  });
});

describe('an error', () => {
  const busy = new TenonError('server-unavailable', 'busy', { details: { retryAfterMs: 9000 } });

  it('has Retry-After itself or in its cause', () => {
    expect(retryAfterOf(busy)).toBe(9000);
    expect(retryAfterOf(new TenonError('connection-closed', 'closed', { cause: busy }))).toBe(9000);
    expect(retryAfterOf(new Error('closed', { cause: new Error('none') }))).toBeUndefined();
    expect(retryAfterOf('text')).toBeUndefined();
  });

  it('is permanent if the server rejects this client or cannot be started', () => {
    const codes = ['protocol-version-mismatch', 'unauthorized', 'forbidden', 'command-not-found'] as const;
    for (const code of codes) expect(isPermanent(new TenonError(code, 'no'))).toBe(true);
    expect(isPermanent(new RpcError(-32603, 'no'))).toBe(true);
    const passing = ['connection-refused', 'host-not-found', 'server-exited', 'timeout', 'server-unavailable'] as const;
    for (const code of passing) expect(isPermanent(new TenonError(code, 'no'))).toBe(false);
  });
});
