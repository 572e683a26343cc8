/** Clients of a process have their timers in common, and none of them decides over the time-outs of another. */
import { connect, createClient, createServer, tool } from 'tenon';
import { afterEach, expect, it, onTestFinished, vi } from 'vitest';

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
