/** Methods of the official SDK that someone who migrates types by habit say what they are here. */
import { connect, createServer, tool } from 'tenon';
import { expect, it } from 'vitest';

const server = createServer({ name: 'x', version: '1', tools: { now: tool({}, () => 'noon') } });
type Habits = Readonly<Record<string, () => unknown>>;

it.each([
  ['registerTool', 'tools: { … } in createServer()'],
  ['registerResource', 'resources: { … } in createServer()'],
  ['prompt', 'prompts: { … } in createServer()'],
  ['connect', 'serveStdio(server), serveHttp(server) or server.accept(transport)'],
  ['setRequestHandler', 'tools, resources and prompts in createServer()'],
  ['sendToolListChanged', 'part of server.update()'],
])('server.%s()', (name, meant) => {
  expect(() => (server as unknown as Habits)[name]?.()).toThrow(
    expect.objectContaining({
      code: 'invalid-argument',
      message: expect.stringContaining(`In Tenon this is ${meant}`),
    }),
  );
});

it.each([
  ['callTool', 'client.tools.call(name, args)'],
  ['listTools', 'client.tools.list().all()'],
  ['readResource', 'client.resources.read(uri)'],
  ['getPrompt', 'client.prompts.get(name, args)'],
  ['setNotificationHandler', 'onLog of connect()'],
  ['getServerVersion', 'client.serverInfo'],
])('client.%s()', async (name, meant) => {
  await using client = await connect(server);
  expect(() => (client as unknown as Habits)[name]?.()).toThrow(
    expect.objectContaining({
      code: 'invalid-argument',
      message: expect.stringContaining(`In Tenon this is ${meant}`),
    }),
  );
});

it('they are no own properties: a server and a client have what their types say', async () => {
  await using client = await connect(server);
  expect(Object.keys({ ...server, ...client })).not.toContain('connect');
});
