/** The published server-everything, over both of its HTTP transports. */

import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { connect, toText } from 'tenon';
import { afterAll, expect, it } from 'vitest';
import { answers } from '../../kit/peers/conversation.ts';
import { published } from '../../kit/peers/programs.ts';
import { withTimeout } from '../../kit/with-timeout.ts';
import { startServer, stopServers } from './server-programs.ts';

afterAll(stopServers);

async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  await new Promise((resolve) => server.close(resolve));
  return port;
}

it.each([
  ['streamableHttp', '/mcp'],
  ['sse', '/sse'],
])('server-everything over %s lists everything, and its tools answer, notify and request', async (transport, path) => {
  const port = await startServer(published('server-everything', transport), /port (\d+)$/, {
    PORT: String(await freePort()),
  });
  const warnings: Error[] = [];
  const client = await connect(`http://127.0.0.1:${port}${path}`, {
    handlers: answers,
    onWarning: (error) => warnings.push(error),
  });
  const send = async (name: string, input = {}): Promise<string> => toText(await client.tools.call(name, input));
  expect(client.protocolVersion).toBe('2025-11-25');
  expect((await client.tools.list().all()).map(({ name }) => name)).toContain('echo');
  expect(await client.resources.list().all()).not.toEqual([]);
  expect((await client.prompts.list().all()).map(({ name }) => name)).toContain('args-prompt');
  expect(await send('echo', { message: 'hi' })).toBe('Echo: hi');
  const steps: number[] = [];
  const onProgress = ({ progress }: { progress: number }): void => void steps.push(progress);
  await client.tools.call('trigger-long-running-operation', { duration: 0.1, steps: 2 }, { onProgress });
  expect(steps).toEqual([1, 2]);
  expect(await send('trigger-sampling-request', { prompt: 'What now?' })).toContain('Go on.');
  expect(await send('trigger-elicitation-request')).toContain('Name: Ada');
  expect(await send('get-roots-list')).toContain('file:///work');
  expect(warnings).toEqual([]);
  await withTimeout(client.close(), 'the client to close');
});
