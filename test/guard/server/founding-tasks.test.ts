/** Tasks of the founding documents on a guarded server: what a session is sent without asking is decided too. */
import { createServer, tool } from 'tenon';
import { createPolicy, guard, type Policy } from 'tenon/guard';
import { expect, it } from 'vitest';
import { deferred } from '../../kit/deferred.ts';
import { handshake, type Json } from '../../kit/transport/raw-connection.ts';
import { openClient, resultOf } from '../../server/tasks/task-server.ts';
import { memoryAudit } from './kit.ts';

const open = createPolicy('version: 1\nrules:\n  - { id: open, allow: [list, call], to: any, on: any }\n');
const closed = createPolicy(`version: 1
rules:
  - { id: open, allow: [list, call], to: any, on: any }
  - { id: closed, deny: [call], to: any, on: { tool: held } }
`);

it('a session is not sent the outcome of a task whose tool it may not call any more', async () => {
  const begun = deferred();
  const released = deferred();
  const ended = deferred();
  let current: Policy = open;
  const policy: Policy = {
    rules: open.rules,
    tests: [],
    decide: (request) => current.decide(request),
    evaluate: (request) => current.evaluate(request),
    possibleEffects: (...given) => current.possibleEffects(...given),
    visible: (request) => current.visible(request),
    explain: (id) => current.explain(id),
  };
  const tools = {
    held: tool({ task: 'required' }, async () => {
      begun.resolve();
      await released.promise;
      ended.resolve();
      return 'secret';
    }),
    pay: tool({ task: 'required' }, () => 'paid'),
  };
  const server = createServer(
    { name: 'bank', version: '1', tools },
    { guard: guard({ policy, audit: memoryAudit() }), onError: () => undefined },
  );
  const client = openClient(server, { principal: 'ann' });
  const capabilities = { experimental: { tasks: {} } };
  await client.ask('initialize', { ...(handshake('2025-11-25').params as Json), capabilities });
  client.send({ jsonrpc: '2.0', method: 'notifications/initialized' });
  resultOf(await client.ask('tasks/create', { name: 'held' }));
  await begun.promise;
  current = closed;
  released.resolve();
  await ended.promise;
  const { taskId } = resultOf(await client.ask('tasks/create', { name: 'pay' }));
  expect((await client.notified()).params).toMatchObject({ taskId, status: 'completed' });
  expect(client.notifications).toEqual([]);
});
