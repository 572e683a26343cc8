/** The limits of a guard: what requests take of their buckets and slots, and that nothing fails open. */
import { createPolicy, guard } from 'tenon/guard';
import { type LimitStore } from 'tenon/store';
import { describe, expect, it } from 'vitest';
import { createLimits, type LimitedRequest, type LimitPermit } from '../../src/guard/limits/limits.ts';
import { guardLimits } from '../../src/guard/limits/options.table.ts';
import type { GuardLimits } from '../../src/guard/limits/options.ts';
import { withDefaults } from '../../src/lib/options/read-options.ts';
import { createDeadlines } from '../../src/lib/time/deadlines.ts';
import { createFakeClock } from '../../src/lib/time/fake-clock.ts';
import { memoryLimits } from '../../src/store/memory.ts';

const request = (given: Partial<LimitedRequest> = {}): LimitedRequest => ({
  principal: undefined,
  address: undefined,
  tool: undefined,
  ...given,
});
const by = (principal: string, more: Partial<LimitedRequest> = {}) => request({ principal, ...more });
const from = (address: string, more: Partial<LimitedRequest> = {}) => request({ address, ...more });

function start(options: GuardLimits) {
  const clock = createFakeClock();
  const settings = withDefaults(guardLimits, { store: memoryLimits({ now: clock.now }), ...options });
  const limits = createLimits(settings, createDeadlines(clock));
  /** Without a promise, as the store is in memory: the permit, or the error. */
  const take = (one: LimitedRequest) => limits.take(one) as LimitPermit & { reason?: string; data?: unknown };
  const allowed = (one: LimitedRequest, times = 1) =>
    Array.from({ length: times }, () => take(one)).filter(({ reason }) => reason === undefined).length;
  return { clock, take, allowed, limits };
}

describe('limits', () => {
  it('refuse a principal over its rate with rate-limited and the time to wait, and no other [S24]', () => {
    const { clock, take, allowed } = start({ perPrincipal: '60/min' });
    expect(allowed(by('ada'), 61)).toBe(60);
    expect(take(by('ada'))).toMatchObject({
      reason: 'rate-limited',
      message: 'Too many requests. Try again in 1 s.',
      data: { retryAfterMs: 1000, limit: 'perPrincipal' },
    });
    expect(allowed(by('eve'), 60)).toBe(60);
    clock.advance(1000);
    expect(allowed(by('ada'), 2)).toBe(1);
  });

  it('count a caller without a principal by its address, and all that have neither together [S24]', () => {
    const { allowed } = start({ perPrincipal: '2/min' });
    expect([allowed(from('192.0.2.1'), 3), allowed(from('192.0.2.2'), 3), allowed(request(), 3)]).toEqual([2, 2, 2]);
    expect([allowed(by('address 192.0.2.1'), 3), allowed(by('local'), 3)]).toEqual([2, 2]);
  });

  it('count all principals of an address, and of an IPv6 address its first 64 bits [S24]', () => {
    const { allowed } = start({ perAddress: '3/min' });
    const calls = ['2001:db8::1', '2001:db8::2', '2001:DB8:0:0:ffff::3', '2001:db8::4'];
    expect(calls.map((address, at) => allowed(by(`p${at}`, { address })))).toEqual([1, 1, 1, 0]);
    expect(allowed(by('p', { address: '2001:db8:0:1::1' }))).toBe(1);
    expect([allowed(from('::ffff:192.0.2.1'), 2), allowed(from('192.0.2.1'), 2)]).toEqual([2, 1]);
    // Senders whose address is not known share one bucket.
    expect([allowed(from(''), 4), allowed(by('ada'), 10)]).toEqual([3, 10]);
  });

  it('count the calls of a tool for each caller, or for all of them together [S24]', () => {
    const { allowed, take } = start({
      perTool: { report: '2/min', shared: { rate: '3/min', shared: true }, 'a/b%': '1/min' },
    });
    expect([allowed(by('ada', { tool: 'report' }), 3), allowed(by('eve', { tool: 'report' }), 3)]).toEqual([2, 2]);
    expect([allowed(by('ada', { tool: 'shared' }), 2), allowed(by('eve', { tool: 'shared' }), 2)]).toEqual([2, 1]);
    expect([allowed(by('ada', { tool: 'other' }), 9), allowed(by('ada'), 9)]).toEqual([9, 9]);
    allowed(by('ada', { tool: 'a/b%' }));
    expect(take(by('ada', { tool: 'a/b%' })).data).toMatchObject({ limit: 'perTool.a%2Fb%25' });
  });

  it('take nothing of any bucket for a request that one of them refuses', () => {
    const { allowed } = start({ perPrincipal: '10/min', perTool: { report: '1/min' } });
    expect(allowed(by('ada', { tool: 'report' }), 50)).toBe(1);
    expect(allowed(by('ada'), 50)).toBe(9);
  });

  it('take what a call costs: a number, or a function of its arguments [S24]', async () => {
    const { allowed, take } = start({
      perPrincipal: { rate: '10/min', burst: 20 },
      costs: { report: 8, free: 0, scan: ({ rows }) => Number(rows) },
    });
    expect([allowed(by('ada', { tool: 'report' }), 5), allowed(by('ada', { tool: 'free' }), 50)]).toEqual([2, 50]);
    expect(allowed(by('ada'), 9)).toBe(4);
    const scan = () => take(by('eve', { tool: 'scan' }));
    expect(await scan().charge?.({ rows: 15 })).toBeUndefined();
    expect(await scan().charge?.({ rows: 6 })).toMatchObject({ reason: 'rate-limited', data: { retryAfterMs: 6000 } });
    expect(await scan().charge?.({ rows: 0 })).toBeUndefined();
  });

  it('refuse for good a cost that no bucket can hold, and a cost that is no number', async () => {
    const { take } = start({
      perPrincipal: '10/min',
      costs: {
        scan: ({ rows }) => rows as number,
        broken: () => {
          throw new Error('secret');
        },
      },
    });
    const scan = (rows: unknown, principal: string) => take(by(principal, { tool: 'scan' })).charge?.({ rows });
    expect(await scan(11, 'a')).toMatchObject({ reason: 'rate-limited', data: { limit: 'perPrincipal', cost: 11 } });
    expect(await scan(11, 'b')).not.toMatchObject({ data: { retryAfterMs: expect.anything() } });
    expect(await scan(Number.POSITIVE_INFINITY, 'c')).toMatchObject({ reason: 'rate-limited' });
    for (const wrong of [Number.NaN, -1, '3', undefined])
      expect(await scan(wrong, `d ${wrong}`)).toMatchObject({
        reason: 'internal-error',
        cause: { code: 'callback-failed' },
      });
    const failed = await take(by('e', { tool: 'broken' })).charge?.({});
    expect(failed).toMatchObject({ reason: 'internal-error', cause: { code: 'callback-failed' } });
    expect(String(failed)).not.toContain('secret');
  });

  it('hold a slot for each running request, for as long as it runs [S24]', () => {
    const { clock, take, allowed } = start({ concurrent: 2, perTool: { report: { concurrent: 1 } } });
    const [first, second] = [take(by('ada')), take(by('ada', { tool: 'report' }))];
    expect(take(by('ada'))).toMatchObject({ reason: 'rate-limited', data: { retryAfterMs: 1000 } });
    clock.advance(600_000);
    expect(allowed(by('ada'))).toBe(0);
    first.release();
    first.release();
    expect(take(by('ada', { tool: 'report' }))).toMatchObject({ data: { limit: 'perTool.report' } });
    second.release();
    expect([allowed(by('ada', { tool: 'report' }), 3), allowed(by('ada'), 3)]).toEqual([1, 1]);
  });

  it('let later rounds of a call run without paying again, but each only once', () => {
    const { take, allowed } = start({ perPrincipal: '3/min', concurrent: 5 });
    const round = (at: number) => by('ada', { round: { callId: 'c', round: at } });
    expect([allowed(by('ada')), allowed(round(1)), allowed(round(2))]).toEqual([1, 1, 1]);
    // The two tokens that are left pay for a state that is sent again.
    expect([allowed(round(1)), allowed(round(2), 5), allowed(by('ada'))]).toEqual([1, 1, 0]);
    expect(take(round(3)).reason).toBe('rate-limited');
  });

  it('let 500 rounds of a caller in a day be free: each is remembered for a day [S24]', () => {
    const { clock, allowed } = start({ perPrincipal: '10/min' });
    const rounds = (principal: string, from: number, count: number): number =>
      Array.from({ length: count }, (_, at) =>
        allowed(by(principal, { round: { callId: `${principal} ${from + at}`, round: 1 } })),
      ).reduce((all, one) => all + one, 0);
    expect(rounds('eve', 0, 600)).toBe(510);
    expect([rounds('ada', 0, 20), allowed(by('ada'), 20)]).toEqual([20, 10]);
    clock.advance(86_400_000);
    expect(rounds('eve', 600, 500)).toBe(500);
  });
});

describe('a store of limits', () => {
  const answers = (take: LimitStore['take']): LimitStore => ({ take, renew() {}, release() {} });

  it.each([
    ['throws', answers(() => nope())],
    ['rejects', answers(() => Promise.reject(new Error('lost')))],
  ])('that %s refuses with overloaded, and the cause is store-failed', async (_what, store) => {
    const { limits } = start({ perPrincipal: '3/min', store });
    expect(await limits.take(by('ada'))).toMatchObject({
      reason: 'overloaded',
      data: { retryAfterMs: 1000 },
      cause: { code: 'store-failed', cause: { message: 'lost' } },
    });
  });

  it.each([{ allowed: 'yes' }, { allowed: false }, {}, undefined, null, true])(
    'that answers %j refuses with overloaded',
    async (answer) => {
      const { limits } = start({ perPrincipal: '3/min', store: answers(() => answer as never) });
      expect(await limits.take(by('ada'))).toMatchObject({ reason: 'overloaded', cause: { code: 'store-failed' } });
    },
  );

  it('that is slow refuses after two seconds, and frees the slot that it gives too late', async () => {
    let answer: (yes: { allowed: true }) => void = () => {};
    const released: unknown[] = [];
    const { clock, limits } = start({
      concurrent: 1,
      store: {
        take: () => new Promise((resolve) => (answer = resolve)),
        renew() {},
        release: ({ slots }) => void released.push(slots),
      },
    });
    const refused = limits.take(by('ada'));
    clock.advance(2000);
    expect(await refused).toMatchObject({ reason: 'overloaded', cause: { details: { limit: 'storeTimeoutMs' } } });
    expect(released).toEqual([]);
    answer({ allowed: true });
    await Promise.resolve();
    expect(released).toEqual([[{ key: 'perPrincipal/principal ada', max: 1 }]]);
  });

  it('shared by two nodes has one set of limits for both', () => {
    const clock = createFakeClock();
    const store = memoryLimits({ now: clock.now });
    const nodes = [
      start({ perPrincipal: '4/min', concurrent: 3, store }),
      start({ perPrincipal: '4/min', concurrent: 3, store }),
    ];
    const held = nodes.map((node) => node.take(by('ada')));
    expect(nodes.map((node) => node.allowed(by('ada'), 2))).toEqual([1, 0]);
    for (const one of held) one.release();
    expect(nodes.map((node) => node.allowed(by('ada'), 2))).toEqual([1, 0]);
  });

  function nope(): never {
    throw new Error('lost');
  }
});

describe('the option limits', () => {
  const policy = createPolicy('{ version: 1, rules: [] }');

  it.each([
    [{ perPrincipal: '100 per minute' }, "limits.perPrincipal must be a text such as '100/min'"],
    [{ perPrincipal: '0/min' }, 'limits.perPrincipal must be'],
    [{ perPrincipal: '1.5/min' }, 'limits.perPrincipal must be'],
    [{ perPrincipal: '100/fortnight' }, 'limits.perPrincipal must be'],
    [{ perPrincipals: '100/min' }, 'Did you mean limits.perPrincipal?'],
    [{ perPrincipal: { rates: '100/min' } }, 'Did you mean limits.perPrincipal.rate?'],
    [{ perPrincipal: { burst: 5 } }, 'limits.perPrincipal has a burst and no rate.'],
    [{ perAddress: {} }, 'limits.perAddress limits nothing.'],
    [{ perTool: { report: '5' } }, 'limits.perTool.report must be'],
    [{ perTool: { report: { rate: '5/s', share: true } } }, 'Did you mean limits.perTool.report.shared?'],
    [{ perTool: '5/min' }, "limits.perTool must be an object with a limit for each tool, such as { report: '5/min' }"],
    [{ costs: { report: -1 } }, 'limits.costs.report must be a number of at least 0'],
    [{ costs: { report: 11 }, perPrincipal: '10/min' }, 'no call would ever run'],
    [{ concurrent: 0 }, 'limits.concurrent must be an integer over 0'],
    [{ concurrent: 1, perPrincipal: { concurrent: 2 } }, 'are the same limit'],
    [{ store: {} }, 'limits.store must have the methods take(), renew() and release()'],
    [{ storeTimeoutMs: 500 }, 'limits.storeTimeoutMs is fixed at 2000.'],
    ['100/min', 'limits must be an object'],
  ])('%j is refused with the place and the fix', (limits, text) => {
    expect(() => guard({ policy, limits: limits as never })).toThrow(
      expect.objectContaining({ code: 'invalid-argument', message: expect.stringContaining(text) }),
    );
  });

  it.each([
    '5/s',
    '5/sec',
    '5/second',
    '300/min',
    '300/minute',
    '18000/h',
    '18000/hour',
    '432000/d',
    '432000/day',
    ' 5 / s ',
  ])('%j is a rate of five a second', (rate) => {
    const { clock, allowed } = start({ perPrincipal: { rate, burst: 5 } });
    expect(allowed(by('ada'), 9)).toBe(5);
    clock.advance(1000);
    expect(allowed(by('ada'), 9)).toBe(5);
  });
});
