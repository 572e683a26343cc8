/** A server set that changes at run time: servers are added and removed while the host is in use. */
import { createServer, prompt, tool, toText } from 'tenon';
import { createHost, type HostChange } from 'tenon/host';
import { expect, it } from 'vitest';
import { deferred } from '../kit/deferred.ts';
import { scriptedServer } from './scripted-server.ts';

const named = (name: string) =>
  createServer({
    name,
    version: '1.0.0',
    tools: { hello: tool({}, () => `I am ${name}`) },
    prompts: { plan: prompt({}, () => `a plan of ${name}`) },
  });

it('a server that is added is listed and called, and one that is removed is not [S30]', async () => {
  await using host = createHost({ servers: { a: named('a') }, consent: 'allow-all' });
  const listed = async (): Promise<string[]> => (await host.tools.list()).items.map(({ name }) => name);
  expect(await listed()).toEqual(['a__hello']);
  host.addServer('b', named('b'));
  expect([host.servers, await listed()]).toEqual([
    ['a', 'b'],
    ['a__hello', 'b__hello'],
  ]);
  expect(toText(await host.tools.call('b__hello'))).toBe('I am b');
  await host.removeServer('a');
  expect([host.servers, await listed(), host.health().map(({ server }) => server)]).toEqual([
    ['b'],
    ['b__hello'],
    ['b'],
  ]);
  await expect(host.tools.call('a__hello')).rejects.toMatchObject({ code: 'invalid-argument' });
  await expect(host.prompts.get('a__plan')).rejects.toMatchObject({ code: 'invalid-argument' });
  host.addServer('a', named('another a'));
  expect(toText(await host.tools.call('a__hello'))).toBe('I am another a');
});

it('a subscription reports servers that are added and removed, and the changes of an added one', async () => {
  await using host = createHost({ servers: {} });
  const changes = host.subscribe()[Symbol.asyncIterator]();
  const next = async (type: string): Promise<HostChange> => {
    for (;;) {
      const { value } = await changes.next();
      if (value?.change.type === type) return value;
    }
  };
  const server = named('a');
  host.addServer('a', server);
  expect(await next('server')).toEqual({ server: 'a', change: { type: 'server', state: 'added' } });
  await host.tools.list();
  await host.prompts.list();
  server.update(({ tools }) => {
    tools.second = tool({}, () => 'two');
  });
  expect(await next('tools')).toEqual({ server: 'a', change: { type: 'tools' } });
  await host.removeServer('a');
  expect(await next('server')).toEqual({ server: 'a', change: { type: 'server', state: 'removed' } });
});

it('a running call of a server that is removed may finish, and a list that waits for it goes on without it', async () => {
  const called = deferred();
  const go = deferred();
  const slow = createServer({
    name: 'slow',
    version: '1.0.0',
    tools: {
      wait: tool({}, async () => {
        called.resolve();
        await go.promise;
        return 'finished';
      }),
    },
  });
  const mute = scriptedServer(() => undefined);
  await using host = createHost({ servers: { slow, mute, good: named('good') }, consent: 'allow-all' });
  const call = host.tools.call('slow__wait');
  await called.promise;
  const list = host.tools.list();
  await Promise.all([host.removeServer('mute', { timeoutMs: 1 }), list]);
  const removed = host.removeServer('slow');
  go.resolve();
  expect(toText(await call)).toBe('finished');
  await removed;
  expect((await list).errors).toEqual([]);
  expect((await list).items.map(({ name }) => name)).toEqual(['slow__wait', 'good__hello']);
});

it('wrong names and configuration are rejected with their place, and nothing is added', async () => {
  const host = createHost({ servers: { a: named('a') } });
  const rejected = (run: () => unknown, message: RegExp): void => expect(run).toThrow(message);
  rejected(
    () => host.addServer('a', named('b')),
    /addServer\(\): The host has a server "a" already\. Call removeServer/,
  );
  rejected(() => host.addServer('b', { url: 'nowhere' }), /addServer\(\): mcpServers\.b\.url is not valid/);
  rejected(() => host.addServer('b', { command: 'x', disabled: true }), /b is disabled/);
  rejected(
    () => host.addServer('', named('b')),
    /addServer\(\): mcpServers\[""\]: the name of a server is empty\. Use a/,
  );
  rejected(() => host.addServer('b'.repeat(201), named('b')), /the name of a server has 201 characters/);
  rejected(() => host.addServer('\ud800', named('b')), /the name of a server is not valid Unicode/);
  rejected(() => host.addServer(undefined as never, named('b')), /must be a string/);
  await expect(host.removeServer('c')).rejects.toMatchObject({ code: 'invalid-argument' });
  expect(host.servers).toEqual(['a']);
  await host.close();
  expect(() => host.addServer('b', named('b'))).toThrow(/The host is closed/);
});

it('an added server gets only the variables that the host allows', async () => {
  await using host = createHost({ servers: {}, env: { A: 'a', B: 'b' }, allowedVariables: ['A'] });
  host.addServer('x', { url: 'https://a.example/${B}' });
  expect((await host.tools.list()).errors).toMatchObject([
    { server: 'x', error: { code: 'invalid-argument', details: { variable: 'B' } } },
  ]);
});
