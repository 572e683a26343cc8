/** Methods of a client work detached from it. */
import { connect, createServer, prompt, resource, tool, toText } from 'tenon';
import { expect, it, vi } from 'vitest';

const server = createServer({
  name: 's',
  version: '1',
  tools: { say: tool({}, () => 'said') },
  prompts: { ask: prompt({}, () => 'asked') },
  resources: { 'a://b': resource({}, () => 'read') },
});

it('methods taken from the client, its lists and its connection work as they do there', async () => {
  const client = await connect(server, { protocolVersions: ['2025-11-25'] });
  const { ping, close, connection } = client;
  const { call, list } = client.tools;
  const { read } = client.resources;
  const { get } = client.prompts;
  const { ready, on } = connection;
  const states: string[] = [];
  on('state', ({ to }) => states.push(to));
  await ready();
  await ping();
  expect(toText(await call('say'))).toBe('said');
  expect(await list().all()).toMatchObject([{ name: 'say' }]);
  expect(await read('a://b')).toMatchObject({ contents: [{ text: 'read' }] });
  expect(await get('ask')).toMatchObject({ messages: [{ content: { text: 'asked' } }] });
  await close();
  expect(states).toEqual(['draining', 'closed']);
});

it('methods are the same function each time, and can be spied on', async () => {
  const client = await connect(server, { protocolVersions: ['2025-11-25'] });
  expect(client.close).toBe(client.close);
  expect(client.tools.call).toBe(client.tools.call);
  const [call, ping] = [vi.spyOn(client.tools, 'call'), vi.spyOn(client, 'ping')];
  expect(toText(await client.tools.call('say'))).toBe('said');
  await client.ping();
  expect([call.mock.calls.length, ping.mock.calls.length]).toEqual([1, 1]);
  await client[Symbol.asyncDispose]();
});

it('a mock replaces the method of one client only', async () => {
  const [mocked, other] = [await connect(server), await connect(server)];
  const call = vi.spyOn(mocked.tools, 'call').mockResolvedValue({ content: [] } as never);
  expect(await mocked.tools.call('say')).toEqual({ content: [] });
  expect(call).toHaveBeenCalledWith('say');
  expect(toText(await other.tools.call('say'))).toBe('said');
  await Promise.all([mocked.close(), other.close()]);
});
