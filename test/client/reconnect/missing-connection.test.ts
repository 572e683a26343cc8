/** The error of a call without a connection has the reason, and the error of a call cut off by close names the call. */
import { createServer as createTcpServer } from 'node:net';
import { connect, createClient, createServer, tool } from 'tenon';
import { createFakeClock } from 'tenon/test';
import { expect, it, onTestFinished } from 'vitest';
import { withClock } from '../../../src/lib/time/internal-deadlines.ts';
import { deferred } from '../../kit/deferred.ts';
import { scripted } from '../../kit/http/scripted-server.ts';

async function freePort(): Promise<number> {
  const server = createTcpServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as { port: number };
  await new Promise((resolve) => server.close(resolve));
  return port;
}

it('a call that times out waiting for a connection reports the error of the last attempt', async () => {
  const clock = createFakeClock();
  const client = createClient(`http://127.0.0.1:${await freePort()}/mcp`, { ...withClock(clock) });
  onTestFinished(() => client.close());
  const failed = deferred();
  client.connection.on('state', ({ to }) => to === 'backoff' && failed.resolve());
  const call = client.tools.call('t', {}, { timeoutMs: 1000 });
  await failed.promise;
  clock.advance(1000);
  await expect(call).rejects.toMatchObject({
    code: 'timeout',
    message: expect.stringMatching(/within 1000 ms; the last attempt failed: .*\/mcp is not listening/),
    hint: expect.stringContaining('Start the server'),
    details: { timeoutMs: 1000, problem: 'ECONNREFUSED' },
    cause: { code: 'connection-refused' },
  });
});

it('a call that times out during the first attempt names the command, what it was sent and what it wrote', async () => {
  const clock = createFakeClock();
  const started = deferred();
  const program = "process.stdin.once('data', () => console.error('still reading my files'))";
  const stderr = (): void => started.resolve();
  const target = { command: process.execPath, args: ['-e', program], stderr, exitTimeoutMs: 1 };
  const client = createClient(target, { ...withClock(clock) });
  onTestFinished(() => client.close());
  const call = client.tools.call('t', {}, { timeoutMs: 1000 });
  await started.promise;
  clock.advance(1000);
  const error = await call.catch((thrown) => thrown);
  expect(error).toMatchObject({ code: 'timeout', hint: expect.stringContaining('standard input') });
  expect(error.message).toContain(process.execPath);
  expect(error.message).toContain('has not answered yet. It was sent server/discover. It wrote nothing');
  expect(error.message).toContain('still reading my files');
});

it('a call that times out during the first attempt names the URL', async () => {
  const clock = createFakeClock();
  const server = await scripted(() => {});
  const client = createClient(server.url, { ...withClock(clock) });
  onTestFinished(() => client.close());
  const call = client.tools.call('t', {}, { timeoutMs: 1000 });
  await server.until(() => true);
  clock.advance(1000);
  await expect(call).rejects.toMatchObject({
    code: 'timeout',
    message: expect.stringContaining(`${server.url} has not answered yet.`),
    hint: expect.stringContaining('Check host and port'),
  });
});

it('a call that close() cuts off is rejected with its method and id', async () => {
  const begun = deferred();
  const server = createServer({
    name: 's',
    version: '1',
    tools: {
      stay: tool({}, () => {
        begun.resolve();
        return new Promise<string>(() => {});
      }),
    },
  });
  const client = await connect(server);
  const call = client.tools.call('stay');
  const rejected = call.catch((error) => error);
  await begun.promise;
  await client.close({ timeoutMs: 1 });
  expect(await rejected).toMatchObject({
    code: 'connection-closed',
    details: { method: 'tools/call', requestId: expect.any(Number) },
  });
});

it('a program that echoes its input is recognized', async () => {
  const args = ['-e', 'process.stdin.pipe(process.stdout)'];
  await expect(connect({ command: process.execPath, args }, { reconnect: false })).rejects.toMatchObject({
    code: 'invalid-message',
    message: expect.stringContaining('back unchanged'),
    hint: expect.stringContaining('Check that it is an MCP server'),
  });
});
