/** Requests about tasks while their store fails. */
import { createServer, TenonError, tool } from 'tenon';
import { toFetchHandler } from 'tenon/server';
import { createMemoryStore, type Store } from 'tenon/store';
import { describe, expect, it } from 'vitest';

const meta = {
  'io.modelcontextprotocol/protocolVersion': '2026-07-28',
  'io.modelcontextprotocol/clientCapabilities': { extensions: { 'io.modelcontextprotocol/tasks': {} } },
};

describe('requests about tasks whose store fails', () => {
  it('are refused as overloaded, which no task ends with, and the reason is passed to onError', async () => {
    const store = createMemoryStore();
    let isDown = false;
    const read: (typeof store.tasks)['read'] = (id) => {
      if (isDown) throw new TenonError('store-timeout', 'too late');
      return store.tasks.read(id);
    };
    const errors: unknown[] = [];
    const server = createServer(
      {
        name: 'shop',
        version: '1.0.0',
        tools: { report: tool({ task: { support: 'required', answerWithinMs: 0 } }, () => 'done') },
      },
      { secrets: ['at least sixteen characters'], onError: (error) => void errors.push(error) },
    );
    const tasks = new Proxy(store.tasks, {
      get: (target, name) => (name === 'read' ? read : Reflect.get(target, name).bind(target)),
    });
    const failing: Store = { ...store, tasks };
    const handle = toFetchHandler(server, { store: failing });
    const ask = async (method: string, name: string, params: object): Promise<{ result?: { taskId: string } }> => {
      const headers = { 'mcp-protocol-version': '2026-07-28', 'mcp-method': method, 'mcp-name': name };
      const accept = { 'content-type': 'application/json', accept: 'application/json, text/event-stream' };
      const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method, params: { ...params, _meta: meta } });
      const request = { method: 'POST', headers: { ...headers, ...accept }, body };
      const response = await handle(new Request('http://localhost/mcp', request));
      return (await response.json()) as { result?: { taskId: string } };
    };
    const { result } = await ask('tools/call', 'report', { name: 'report', arguments: {} });
    const taskId = result?.taskId ?? '';
    isDown = true;
    expect(await ask('tasks/get', taskId, { taskId })).toMatchObject({
      error: { code: expect.any(Number), message: expect.stringContaining('store of tasks is unavailable') },
    });
    expect(errors).toContainEqual(expect.objectContaining({ code: 'store-timeout' }));
    isDown = false;
    expect(await ask('tasks/get', taskId, { taskId })).toMatchObject({ result: { taskId } });
    await handle.close();
  });
});
