/** One server program, and clients of the founding documents and official ones: each gets the errors it knows. */
import { afterEach, beforeAll, expect, it } from 'vitest';
import { bundledProgram } from '../../kit/process/bundled-program.ts';
import { endAll, type Json, startRaw } from '../../kit/process/raw-process.ts';

let file = '';
beforeAll(async () => {
  file = await bundledProgram('founding-server');
});
afterEach(endAll);

const initialize = (name: string, protocolVersion: string, capabilities: Json = {}): Json => ({
  jsonrpc: '2.0',
  id: 1,
  method: 'initialize',
  params: { protocolVersion, capabilities, clientInfo: { name, version: '1.0.0' } },
});
const initialized = { jsonrpc: '2.0', method: 'notifications/initialized' };
const request = (id: number, method: string, params?: Json): Json => ({ jsonrpc: '2.0', id, method, params });

function connected(name: string, protocolVersion: string) {
  const server = startRaw(file);
  server.send(initialize(name, protocolVersion), initialized);
  return {
    server,
    async error(method: string, params?: Json) {
      server.send(request(2, method, params));
      return (await server.answer(2)).error;
    },
  };
}

it('answers a missing argument with -32602 and data.details to a client of document 000 [S29]', async () => {
  const { error } = connected('my-client', '2024-11-05');
  expect(await error('tools/call', { name: 'search_files', arguments: {} })).toMatchObject({
    code: -32602,
    data: { details: expect.stringContaining('pattern') },
  });
});

it('answers a read that fails with an I/O error with -32002 to a client of document 001 [S29]', async () => {
  const { error } = connected('elixir-mcp-client', '2024-11-05');
  expect(await error('resources/read', { uri: 'file:///locked' })).toMatchObject({ code: -32002 });
});

it('sends the messages of document 003 with its codes [S29]', async () => {
  const missing = await connected('example-client', '2025-06-18').error('tools/call', { name: 'nonexistent_tool' });
  expect(missing).toEqual({
    code: -32003,
    message: 'Tool not found',
    data: { toolName: 'nonexistent_tool', availableTools: ['search_files'] },
  });
  expect(await connected('example-client', '2025-06-18').error('prompts/list')).toMatchObject({
    code: -32001,
    message: 'Capability not supported',
  });
});

it('serves an official client by the specification, and asks for each connection once, at initialize [S29]', async () => {
  const { server, error } = connected('official', '2025-11-25');
  expect(await error('resources/read', { uri: 'file:///locked' })).toMatchObject({ code: -32603 });
  server.send(request(3, 'tools/call', { name: 'search_files', arguments: {} }));
  expect((await server.answer(3)).result).toMatchObject({ isError: true });
  await server.wrote('chosen');
  expect(server.stderr().match(/chosen/g)).toHaveLength(1);
  expect(server.stderr()).toContain('chosen for official at 2025-11-25 with {}');
});
