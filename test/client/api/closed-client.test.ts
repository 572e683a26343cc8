import { connect, createClient, createServer, resource, tool } from 'tenon';
import { protocolVersions } from 'tenon/protocol';
import { afterEach, describe, expect, it, vi } from 'vitest';

const server = createServer({
  name: 's',
  version: '1',
  tools: { say: tool({}, () => 'x') },
  resources: { 'a://b': resource({}, () => 'x') },
});

afterEach(() => {
  vi.useRealTimers();
});

describe.each(protocolVersions)('A closed client, at %s,', (revision) => {
  it.each([{ toolsListChanged: true }, { resourceSubscriptions: ['a://b'] }])(
    'rejects subscribe with %j',
    async (filter) => {
      const client = await connect(server, { protocolVersions: [revision] });
      await client.close();
      await expect(client.subscribe(filter)).rejects.toMatchObject({ code: 'connection-closed' });
      await expect(client.tools.watchList(() => {})).rejects.toMatchObject({ code: 'connection-closed' });
    },
  );

  it('rejects calls, and the error names the reason', async () => {
    const client = await connect(server, { protocolVersions: [revision] });
    await client.close();
    await expect(client.tools.call('say')).rejects.toMatchObject({
      code: 'connection-closed',
      message: expect.stringMatching(/^This client was closed\./),
    });
  });

  it('retains no timer of its calls', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    const before = vi.getTimerCount();
    const client = await connect(server, { protocolVersions: [revision] });
    await client.tools.call('say', {}, { timeoutMs: 5000 });
    await client.tools.call('say', {}, { timeoutMs: 7000 });
    await client.close();
    expect(vi.getTimerCount()).toBe(before);
  });
});

it('a closed client leaves no timer behind while other clients are open', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  const other = await connect(server, { timeoutMs: 3000 });
  await other.tools.call('say');
  expect(() => createClient(server, { protocolVersions: ['1999-01-01' as never] })).toThrow(/1999-01-01/);
  const before = vi.getTimerCount();
  const client = await connect(server, { timeoutMs: 4000 });
  await client.tools.call('say', {}, { timeoutMs: 5000 });
  await client.close();
  expect(vi.getTimerCount()).toBeLessThanOrEqual(before);
  vi.useRealTimers();
  await other.close();
});
