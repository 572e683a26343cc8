/** A message that a stdio server cannot send is reported once on standard error, with a hint. */
import { PassThrough } from 'node:stream';
import { createServer, serveStdio, tool } from 'tenon';
import { afterEach, expect, it, vi } from 'vitest';

afterEach(() => vi.restoreAllMocks());

it('A result over the limit is reported once without an onWarning callback, and the report names the limit', async () => {
  const written = vi.spyOn(console, 'error').mockImplementation(() => {});
  const server = createServer({ name: 's', version: '1', tools: { large: tool({}, () => 'x'.repeat(5000)) } });
  const [input, output] = [new PassThrough(), new PassThrough()];
  const service = serveStdio(server, {
    stdin: input,
    stdout: output,
    exitOnClose: false,
    limits: { maxMessageChars: 4000 },
  });
  const meta = {
    'io.modelcontextprotocol/protocolVersion': '2026-07-28',
    'io.modelcontextprotocol/clientInfo': { name: 'c', version: '1' },
    'io.modelcontextprotocol/clientCapabilities': {},
  };
  const call = { jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name: 'large', _meta: meta } };
  const answered = new Promise((resolve) => output.once('data', resolve));
  input.write(`${JSON.stringify(call)}\n`);
  expect(String(await answered)).toContain('larger than the limit of a message');
  input.end();
  await service.closed;
  expect(written).toHaveBeenCalledTimes(1);
  const report = String(written.mock.calls[0]?.join(' '));
  expect(report).toContain('tools/call large failed');
  expect(report).toContain('raise limits.maxMessageChars');
});
