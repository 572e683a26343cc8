/** `tenon bench` measures calls within its bounds. */
import { createServer, serveHttp, tool } from 'tenon';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { z } from 'zod';
import { latenciesOf, measure } from '../../src/cli/commands/check/measure.ts';
import { deferred } from '../kit/deferred.ts';
import { typed } from './terminal.ts';

let calls = 0;
let atOnce = 0;
let mostAtOnce = 0;
/** `bench` calls ten times before it measures. */
const firstMeasured = 11;
const isSecond = deferred();
const server = createServer(
  {
    name: 'measured',
    version: '1',
    tools: {
      add: tool({ inputSchema: z.object({ a: z.number() }) }, async ({ a }) => {
        calls++;
        mostAtOnce = Math.max(mostAtOnce, ++atOnce);
        if (atOnce === 2) isSecond.resolve();
        // However slow the machine is, another call comes while this one runs.
        if (calls === firstMeasured) await isSecond.promise;
        atOnce--;
        return String(a + 1);
      }),
      fails: tool({}, () => {
        throw new Error('inside');
      }),
    },
  },
  { onError: () => undefined },
);

let url = '';
let close: () => Promise<unknown>;
beforeAll(async () => {
  const service = await serveHttp(server, { port: 0 });
  url = String(service.url);
  close = () => service.close();
});
afterAll(() => close());

it('bench calls a tool as often, and as many at once, as its options say [S31]', async () => {
  const { code, out } = await typed(`tenon bench ${url} add a=1 -n 40 -c 4 --seconds 600 --json`);
  expect(code).toBe(0);
  const { result } = JSON.parse(out);
  expect(result).toMatchObject({ calls: 40, failed: 0, concurrency: 4, latencyMs: { p99: expect.any(Number) } });
  expect(calls).toBe(50);
  expect(mostAtOnce).toBeGreaterThan(1);
  expect(mostAtOnce).toBeLessThanOrEqual(4);
});

it('bench shows calls per second and latencies', async () => {
  const { out } = await typed(`tenon bench ${url} add a=1 -n 5 --seconds 600`);
  expect(out).toMatch(
    /^calls\s+5, 1 at once, in [\d.]+ s\nfailed\s+0\ncalls per second\s+\d+\nlatency in ms\s+min [\d.]+, mean/,
  );
});

it('bench prints what it has measured at Ctrl+C, and exits with 130', async () => {
  const stop = new AbortController();
  const stopAfter = (text: string): void => void (text.includes(' calls, ') && stop.abort(new Error('Interrupted.')));
  const own = { canAsk: true, signal: stop.signal, err: stopAfter };
  const { code, out } = await typed(`tenon bench ${url} add a=1 -n 1000000 --seconds 600`, own);
  expect(code).toBe(130);
  expect(out).toMatch(/^calls\s+[1-9]\d*, 1 at once, in [\d.]+ s, then interrupted\nfailed\s+0\ncalls per second/);
});

it('bench has a bar of the calls or the time, whichever ends first', async () => {
  let err = '';
  const own = { canAsk: true, err: (text: string) => void (err += text) };
  await typed(`tenon bench ${url} add a=1 -n 1 --seconds 600`, own);
  expect(err).toContain('████████████████████ 100 % 1 of 1 calls, ');
});

it('bench counts calls that the tool reports as failed, and exits with 1', async () => {
  const { code, out } = await typed(`tenon bench ${url} fails -n 3 --seconds 600 --json`);
  expect(code).toBe(1);
  expect(JSON.parse(out).result).toMatchObject({ calls: 3, failed: 3 });
});

it.each([
  ['an unknown tool', 'nothing', /The server has add, fails/],
  ['too many calls', 'add -n 2000000', /--calls cannot be 2000000\. It can be at most 1000000\./],
  ['parts of calls', 'add -n 1.5', /--calls cannot be "1\.5"/],
  ['too many at once', 'add -c 2000', /--concurrency cannot be 2000/],
  ['a wrong argument', 'add a=x', /it must be number/],
])('bench with %s says what to do', async (_, words, message) => {
  const { code, err } = await typed(`tenon bench ${url} ${words}`);
  expect(err).toMatch(message);
  expect(code).toBe(2);
});

it('a measurement ends when its time is over, and with what a call throws', async () => {
  let time = 0;
  const options = { maxCalls: 100, maxMs: 50, concurrency: 1, now: () => time, signal: new AbortController().signal };
  const measured = await measure(async () => {
    time += 10;
    return true;
  }, options);
  expect([...measured.times]).toEqual([10, 10, 10, 10, 10]);
  expect(measured.ms).toBe(50);
  await expect(measure(() => Promise.reject(new Error('lost')), { ...options, concurrency: 3 })).rejects.toThrow(
    'lost',
  );
  const stopped = await measure(async () => true, { ...options, signal: AbortSignal.abort() });
  expect(stopped.times).toHaveLength(0);
});

it('percentiles are times that calls took', () => {
  const times = Float64Array.from({ length: 100 }, (_, n) => 100 - n);
  expect(latenciesOf(times)).toEqual({ min: 1, mean: 50.5, p50: 50, p90: 90, p99: 99, max: 100 });
  expect(latenciesOf(new Float64Array(0)).p50).toBe(0);
});
