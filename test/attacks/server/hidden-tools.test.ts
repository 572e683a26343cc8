/** A caller guesses names to learn of features that middleware or a guard hides from it. */
import { setImmediate } from 'node:timers/promises';
import { connect, createServer, serveHttp, tool } from 'tenon';
import { protocolVersions } from 'tenon/protocol';
import type { Middleware } from 'tenon/server';
import { describe, expect, it, onTestFinished } from 'vitest';
import { createGuarded } from '../../guard/server/kit.ts';
import { lone } from '../../kit/http/messages.ts';
import { send } from '../../kit/http/raw-http.ts';

const tools = { echo: tool({}, () => 'echo'), wipe: tool({}, () => 'wiped') };
const passing: Middleware = (_call, next) => next();

const plain = () => createServer({ name: 'disk', version: '1', tools });
const guarded = () => createServer({ name: 'disk', version: '1', tools }, { middleware: [passing] });
const mounting = () => createServer({ name: 'desk', version: '1', mounts: { disk: guarded() } });

describe.each(protocolVersions)('the error for an unknown tool, under %s', (revision) => {
  const options = { protocolVersions: [revision] };

  it('lists the tools of a server without middleware [S29]', async () => {
    await using client = await connect(plain(), options);
    const data = { availableTools: ['echo', 'wipe'] };
    await expect(client.tools.call('ech' as never)).rejects.toMatchObject({
      code: -32602,
      data,
    });
  });

  it.each([
    ['with middleware', guarded],
    ['that mounts a server with middleware', mounting],
  ])('names no tool of a server %s [S29, S36]', async (_what, create) => {
    await using client = await connect(create(), options);
    const error = await client.tools
      .call('ech' as never)
      .catch((reason: unknown) => reason as { code: number; data: unknown });
    expect(error).toMatchObject({ code: -32602 });
    expect(JSON.stringify((error as { data?: unknown }).data ?? '')).not.toMatch(/echo|wipe|availableTools/);
  });
});

describe('on a guarded server, an unknown name takes the path of a hidden one', () => {
  const completion = (uri: string) => ({ ref: { type: 'ref/resource', uri }, argument: { name: 'id', value: '' } });

  it.each<[string, string, object, object]>([
    ['a tool', 'tools/call', { name: 'hidden_drop', arguments: {} }, { name: 'no_such_tool', arguments: {} }],
    ['a resource', 'resources/read', { uri: 'hidden://one' }, { uri: 'none://one' }],
    ['a resource of a template', 'resources/read', { uri: 'hidden://7' }, { uri: 'none://7' }],
    ['a prompt', 'prompts/get', { name: 'hidden_plan' }, { name: 'no_such_plan' }],
    ['a template', 'completion/complete', completion('hidden://{id}'), completion('none://{id}')],
  ])('and is recorded before it is answered: %s [S23, S24]', async (_, method, hidden, unknown) => {
    const { server, audit } = createGuarded();
    const order: string[] = [];
    const append = audit.append.bind(audit);
    audit.append = async (event) => {
      if (event.kind !== 'decision') return append(event);
      order.push(`begins ${Object.keys(event.what ?? {}).find((name) => ['hidden', 'unknown'].includes(name))}`);
      // A disk that takes its time.
      for (let turn = 0; turn < 20; turn++) await setImmediate();
      order.push('is recorded');
      return append(event);
    };
    const authenticate = () => ({ issuer: 'i', subject: 'ada' });
    const service = await serveHttp(server, { port: 0, authenticate });
    onTestFinished(() => service.close());
    const answers = [];
    for (const params of [hidden, unknown]) {
      const { status, json } = await send(service.url, lone(method, params as never));
      order.push('is answered');
      answers.push([status, (json.error as { code: number }).code]);
    }
    expect(order).toEqual([
      ...['begins hidden', 'is recorded', 'is answered'],
      ...['begins unknown', 'is recorded', 'is answered'],
    ]);
    expect(answers[1]).toEqual(answers[0]);
  });

  it('and is counted for callers without a principal [S24]', async () => {
    const { server, audit } = createGuarded();
    const service = await serveHttp(server, { port: 0 });
    onTestFinished(() => service.close());
    for (const name of ['hidden_drop', 'no_such_tool'])
      await send(service.url, lone('tools/call', { name, arguments: {} }));
    expect(audit.refusals.map(([, reason]) => reason)).toEqual(['permission-denied', 'permission-denied']);
    expect(audit.events).toEqual([]);
  });
});
