/** Clients of a process have their timers in common, and none of them decides over the time-outs of another. */
import { mock } from 'node:test';
import { connect, createClient, createServer, tool } from 'tenon';
import { afterEach, describe, expect, it, onTestFinished, vi } from 'vitest';

interface TimersAlone {
  readonly by: string;
  replace(): void;
  pass(ms: number): void;
}

const server = createServer({
  name: 's',
  version: '1',
  tools: { say: tool({}, () => 'x'), hang: tool({}, () => new Promise<string>(() => {})) },
});

const used = async (timeoutMs: number) => {
  const client = await connect(server, { timeoutMs });
  onTestFinished(() => client.close({ timeoutMs: 1 }));
  await client.tools.call('say');
  return client;
};

afterEach(() => {
  vi.useRealTimers();
});

it('a client that is made under replaced timers is timed by these, whoever was there before', async () => {
  await used(3000);
  vi.useFakeTimers();
  const client = await used(3000);
  const failure = client.tools.call('hang').catch((error) => error);
  await vi.advanceTimersByTimeAsync(3000);
  expect(await failure).toMatchObject({ code: 'timeout' });
  vi.useRealTimers();
});

it('a client that is made when they are gone is timed by the real ones, whoever is still there', async () => {
  vi.useFakeTimers();
  await used(20);
  vi.useRealTimers();
  const client = await used(20);
  await expect(client.tools.call('hang')).rejects.toMatchObject({ code: 'timeout' });
});

it('what a client did under replaced timers is no matter for others when they are gone', async () => {
  const before = await used(3000);
  vi.useFakeTimers();
  await before.tools.call('say', {}, { timeoutMs: 25 });
  vi.useRealTimers();
  const client = await used(25);
  await expect(client.tools.call('hang')).rejects.toMatchObject({ code: 'timeout' });
});

it('a call that waits under real timers holds up none under replaced ones', async () => {
  const before = await used(3000);
  before.tools.call('hang').catch(() => {});
  vi.useFakeTimers();
  const client = await used(3000);
  const failure = client.tools.call('hang').catch((error) => error);
  await vi.advanceTimersByTimeAsync(3000);
  expect(await failure).toMatchObject({ code: 'timeout' });
});

it('a call that is left over from replaced timers holds up none when they are gone', async () => {
  vi.useFakeTimers();
  const before = await used(30);
  await vi.advanceTimersByTimeAsync(3_600_000);
  before.tools.call('hang').catch(() => {});
  vi.useRealTimers();
  const client = await used(30);
  await expect(client.tools.call('hang')).rejects.toMatchObject({ code: 'timeout' });
});

it('a call that was made under real timers ends by them, though they are replaced meanwhile', async () => {
  const client = await used(35);
  const failure = client.tools.call('hang').catch((error) => error);
  vi.useFakeTimers();
  expect(await failure).toMatchObject({ code: 'timeout' });
});

describe.each<TimersAlone>([
  {
    by: 'vitest',
    replace: () => vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'Date'] }),
    pass: (ms) => vi.advanceTimersByTime(ms),
  },
  {
    by: 'node:test',
    replace() {
      mock.timers.enable({ apis: ['setTimeout', 'Date'] });
      onTestFinished(() => mock.timers.reset());
    },
    pass: (ms) => mock.timers.tick(ms),
  },
])('Where $by replaces timers and leaves the stopwatch', ({ replace, pass }) => {
  it('a call ends when its time has passed, and not before', async () => {
    replace();
    const client = await used(3000);
    pass(2000);
    const ended = vi.fn();
    const call = client.tools.call('hang').catch(({ code }) => ended(code));
    pass(2999);
    await client.tools.call('say');
    expect(ended).not.toHaveBeenCalled();
    pass(1);
    await call;
    expect(ended).toHaveBeenCalledWith('timeout');
  });
});

it('a client that is closed leaves no timer behind while others are there', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  await used(3000);
  expect(() => createClient(server, { revisions: ['1999-01-01' as never] })).toThrow(/1999-01-01/);
  const before = vi.getTimerCount();
  const client = await used(4000);
  await client.tools.call('say', {}, { timeoutMs: 5000 });
  await client.close();
  expect(vi.getTimerCount()).toBeLessThanOrEqual(before);
  vi.useRealTimers();
});
