/** Requests about tasks of 2026-07-28 over HTTP: a header has the ID of the task. */
import { createServer, serveHttp, tool } from 'tenon';
import { describe, expect, it, onTestFinished } from 'vitest';
import { lone } from '../../kit/http/messages.ts';
import { send } from '../../kit/http/raw-http.ts';

const extension = {
  'io.modelcontextprotocol/clientCapabilities': { extensions: { 'io.modelcontextprotocol/tasks': {} } },
};

describe.each(['tasks/get', 'tasks/update', 'tasks/cancel'])('%s', (method) => {
  const { headers, body } = lone(method, { taskId: 't1', inputResponses: {} }, extension);

  it.each([
    ['no', undefined],
    ['another', 't2'],
  ])('with %s Mcp-Name gets 400 and -32020 [ext-tasks-53]', async (_name, name) => {
    const server = createServer({ name: 's', version: '1', tools: { long: tool({ task: 'optional' }, () => 'done') } });
    const service = await serveHttp(server, { port: 0 });
    onTestFinished(() => service.close());
    const refused = await send(service.url, { headers: { ...headers, 'mcp-name': name }, body });
    expect(refused.status).toBe(400);
    expect(refused.json).toMatchObject({ error: { code: -32020 } });
    const served = await send(service.url, { headers: { ...headers, 'mcp-name': 't1' }, body });
    expect(served.json).toMatchObject({ error: { code: -32602 } });
  });
});
