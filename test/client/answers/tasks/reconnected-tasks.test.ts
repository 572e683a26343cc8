/** Tasks of a client whose connection is lost, and the next one. */
import type { Transport } from 'tenon/transport';
import { expect, it, onTestFinished } from 'vitest';
import { createDeferred } from '../../../../src/lib/values/deferred.ts';
import { reconnectable } from '../../../kit/client/reconnectable-server.ts';
import { inbox } from '../../../kit/inbox.ts';
import type { Json } from '../../../kit/transport/raw-connection.ts';
import { withTimeout } from '../../../kit/with-timeout.ts';
import { errorOf, form, resultOf } from './tasking-server.ts';

const serverInfo = { name: 'raw', version: '1' };
const related = { 'io.modelcontextprotocol/related-task': { taskId: 'of-the-server' } };

it('a task of a task of the server goes on at the next connection, that of a call ends with the connection', async () => {
  const opened = inbox<(message: Json) => void>();
  const responses = inbox<Json>();
  const statuses = inbox<Json>();
  const server = {
    accept(transport: Transport) {
      const send = (message: Json): void => transport.send(JSON.stringify({ jsonrpc: '2.0', ...message }));
      transport.open({
        onMessage(text) {
          const message = JSON.parse(text) as Json;
          if (message.method === 'initialize')
            send({ id: message.id, result: { protocolVersion: '2025-11-25', capabilities: {}, serverInfo } });
          else if (message.method === 'notifications/initialized') opened.put(send);
          else if (message.method === 'notifications/tasks/status') statuses.put(message.params as Json);
          else if (message.method === undefined) responses.put(message);
          else if (message.id !== undefined) send({ id: message.id, result: {} });
        },
        onClose: () => undefined,
      });
    },
  };
  const answering = createDeferred<{ action: 'accept'; content: Json & Record<string, string> }>();
  const signals: AbortSignal[] = [];
  const { client: create, cut } = reconnectable(server as never);
  const client = create({
    protocolVersions: ['2025-11-25'],
    onWarning: () => undefined,
    handlers: {
      elicitForm: (_request, { signal }) => {
        signals.push(signal);
        return answering.promise;
      },
    },
  });
  onTestFinished(() => client.close());
  await client.ping();
  const first = await withTimeout(opened.next(), 'the first connection');
  const start = async (params: Json): Promise<unknown> => {
    first({ id: 'e', method: 'elicitation/create', params: { ...form, task: {}, ...params } });
    return (resultOf(await responses.next()).task as Json).taskId;
  };
  const ofTask = await start({ _meta: related });
  const ofCall = await start({});
  cut();
  await client.ping();
  const second = await withTimeout(opened.next(), 'the second connection');
  expect(signals.map(({ aborted }) => aborted)).toEqual([false, true]);
  second({ id: 'c', method: 'tasks/get', params: { taskId: ofCall } });
  expect(resultOf(await responses.next())).toMatchObject({
    status: 'cancelled',
    statusMessage: 'The task was cancelled: the connection closed',
  });
  second({ id: 'r', method: 'tasks/result', params: { taskId: ofTask } });
  answering.resolve({ action: 'accept', content: { name: 'Ann' } });
  expect(resultOf(await responses.next())).toMatchObject({ action: 'accept', content: { name: 'Ann' } });
  expect(await withTimeout(statuses.next(), 'the status')).toMatchObject({ taskId: ofTask, status: 'completed' });
  second({ id: 'x', method: 'tasks/cancel', params: { taskId: ofTask } });
  expect(errorOf(await responses.next())).toMatchObject({ code: -32602 });
});
