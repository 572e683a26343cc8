/** Batches at a server without sessions: one response holds several calls that stand alone. */
import { createServer, serveHttp, tool } from 'tenon';
import { expect, it, onTestFinished } from 'vitest';

async function serve() {
  const tools = {
    look: tool({}, (_given, { log }) => {
      log('error', 'dropped');
      return 'seen';
    }),
  };
  const server = createServer({ name: 's', version: '1', tools });
  const service = await serveHttp(server, { port: 0, sessions: false });
  onTestFinished(() => service.close());
  return async (body: unknown, headers: Record<string, string> = {}) => {
    const all = { 'content-type': 'application/json', accept: 'application/json, text/event-stream', ...headers };
    const response = await fetch(service.url, { method: 'POST', headers: all, body: JSON.stringify(body) });
    return { status: response.status, answers: (await response.json()) as unknown };
  };
}

const look = (id: number) => ({ jsonrpc: '2.0', id, method: 'tools/call', params: { name: 'look' } });

it.each([{}, { 'mcp-protocol-version': '2025-03-26' }])(
  'each request of a batch gets its answer, with the headers %o [S31]',
  async (headers) => {
    const post = await serve();
    const { status, answers } = await post(
      [
        look(1),
        { jsonrpc: '2.0', id: 2, method: 'ping' },
        { jsonrpc: '2.0', id: 3, method: 'logging/setLevel', params: { level: 'info' } },
        { jsonrpc: '2.0', id: 4, method: 'initialize', params: {} },
        { jsonrpc: '2.0', method: 'notifications/initialized' },
        5,
      ],
      headers,
    );
    expect(status).toBe(200);
    expect(answers).toHaveLength(5);
    expect(answers).toEqual(
      expect.arrayContaining([
        expect.objectContaining({
          id: 1,
          result: expect.objectContaining({ content: [{ type: 'text', text: 'seen' }] }),
        }),
        expect.objectContaining({ id: 2, result: {} }),
        expect.objectContaining({ id: 3, error: expect.objectContaining({ code: -32601 }) }),
        expect.objectContaining({ id: 4, error: expect.objectContaining({ code: -32600 }) }),
        expect.objectContaining({ error: expect.objectContaining({ code: -32600 }) }),
      ]),
    );
  },
);

it('a batch of a protocol version without batches is refused as a whole', async () => {
  const post = await serve();
  const { status, answers } = await post([look(1)], { 'mcp-protocol-version': '2025-06-18' });
  expect([status, answers]).toMatchObject([400, { error: { code: -32600 } }]);
});
