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
    const text = await response.text();
    return { status: response.status, answers: text === '' ? undefined : (JSON.parse(text) as unknown) };
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
  expect([status, answers]).toMatchObject([
    400,
    { error: { code: -32600, message: 'Protocol version 2025-06-18 has no batches' } },
  ]);
});

it('a batch without a request is accepted, or has an error for each invalid message', async () => {
  const post = await serve();
  const headers = { 'mcp-protocol-version': '2025-03-26' };
  expect(await post([{ jsonrpc: '2.0', method: 'notifications/initialized' }], headers)).toEqual({ status: 202 });
  expect(await post([5, { jsonrpc: '2.0', id: 1, method: 5 }], headers)).toMatchObject({
    status: 200,
    answers: [{ error: { code: -32600 } }, { id: 1, error: { code: -32600 } }],
  });
});

it('errors have their data without a session, too [S29]', async () => {
  const post = await serve();
  expect((await post({ jsonrpc: '2.0', id: 1, method: 'nope' })).answers).toMatchObject({
    error: { code: -32601, data: { method: 'nope' } },
  });
  expect((await post({ jsonrpc: '2.0', id: 2, method: 'tools/call', params: { name: 5 } })).answers).toMatchObject({
    error: { code: -32602, data: { field: 'name', reason: expect.any(String), details: expect.any(String) } },
  });
  const level = { jsonrpc: '2.0', id: 3, method: 'logging/setLevel', params: { level: 'info' } };
  expect((await post(level)).answers).toMatchObject({ error: { code: -32601, data: { method: 'logging/setLevel' } } });
});
