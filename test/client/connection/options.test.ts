/** Options of connecting and serving: revisions, dialects, error codes, required capabilities, targets. */
import { connect, createServer, resource, rpcError, tool } from 'tenon';

import { protocolVersions } from 'tenon/protocol';
import { describe, expect, it } from 'vitest';
import { type Json } from '../../kit/transport/raw-connection.ts';
import { answer, mute, refuse, scriptedServer, session } from '../../kit/transport/scripted-server.ts';
import { sessionVersions } from '../../kit/version-order.ts';

const sessions = sessionVersions;
const server = createServer({ name: 's', version: '1', tools: { here: tool({}, () => 'here') } });

describe('connecting', () => {
  it.each([
    ['no revision', [], 'protocolVersions', 'is an empty list.'],
    [
      'an unknown revision',
      ['2026-07-28', 'latest'],
      'protocolVersions[1]',
      'is "latest", which is not a protocol version.',
    ],
  ])('with %s is rejected before anything is sent', async (_name, revisions, place, problem) => {
    const raw = scriptedServer(mute);
    await expect(connect(raw.transport, { protocolVersions: revisions as never })).rejects.toMatchObject({
      code: 'invalid-argument',
      message: expect.stringContaining(`connect(): ${place} ${problem} Choose from 2024-11-05, `),
      details: { place },
    });
    expect(raw.transport.state).toBe('idle');
    expect(raw.received).toEqual([]);
  });

  it.each([
    ['no object', 'file:///a', "is not an object such as { uri: 'file:///home/me/project' }"],
    ['no file', { uri: 'https://a.example' }, 'is not a file URI with a plain path'],
    ['a path that leads up', { uri: 'file:///a/../b' }, 'is not a file URI with a plain path'],
  ])('with a root that is %s is rejected before anything is sent', async (_name, root, problem) => {
    const raw = scriptedServer(mute);
    const roots = [{ uri: 'file:///good' }, root] as never;
    await expect(connect(raw.transport, { handlers: { roots } })).rejects.toMatchObject({
      code: 'invalid-argument',
      message: expect.stringContaining(`connect(): handlers.roots[1] ${problem}. handlers.roots must be a list`),
      details: { place: 'handlers.roots[1]' },
    });
    expect(raw.received).toEqual([]);
  });

  it.each([
    ['nothing', undefined, 'undefined'],
    ['null', null, 'null'],
    ['a program', { program: 'node', args: ['server.js'] }, 'an object with program, args'],
    ['an empty object', {}, 'an object with no fields'],
  ])('to %s is rejected with a hint of the valid targets', async (_name, target, named) => {
    const failure = await connect(target as never).catch((failure) => failure);
    expect(failure).toMatchObject({ code: 'invalid-argument', hint: expect.stringContaining('createServer') });
    expect(failure.message).toContain(`connect() cannot connect to ${named}.`);
  });

  it('over a transport that is already in use is rejected, and the transport stays open', async () => {
    const raw = scriptedServer(session({}, (message, send) => send(answer(message, {}))));
    const client = await connect(raw.transport, { protocolVersions: ['2025-06-18'] });
    await expect(connect(raw.transport)).rejects.toMatchObject({ code: 'already-open' });
    await client.ping();
    await client.close();
  });
});

describe('error codes', () => {
  const options = { protocolVersions: ['2025-06-18'], compat: { errorCodes: 'reference' } } as const;
  const books = createServer(
    {
      name: 'books',
      version: '1',
      tools: { here: tool({}, () => 'here') },
      resources: { 'a://b': resource({}, () => 'b') },
    },
    options,
  );

  it('are those of the table chosen on both sides, and map back to their names', async () => {
    const client = await connect(books, options);
    const missing = { code: -32003, reason: 'tool-not-found' };
    await expect(client.request('tools/call', { name: 'nope' })).rejects.toMatchObject(missing);
    await expect(client.resources.read('a://c')).rejects.toMatchObject({ code: -32002, reason: 'resource-not-found' });
    await client.close();
  });

  it('are unknown to a client without the table, which retains the number', async () => {
    const client = await connect(books, { protocolVersions: ['2025-06-18'] });
    await expect(client.request('tools/call', { name: 'nope' })).rejects.toMatchObject({
      code: -32003,
      reason: 'unknown',
    });
    await client.close();
  });

  it('are those of the specification in an exchange, whatever table was chosen', async () => {
    const newest = createServer({ name: 'n', version: '1', tools: {} }, { compat: { errorCodes: 'reference' } });
    const client = await connect(newest, { compat: { errorCodes: 'reference' } });
    await expect(client.request('tools/call', { name: 'nope' })).rejects.toMatchObject({ code: -32602 });
    await client.close();
  });

  it('differ between tables for the same name', async () => {
    const thrower = (errorCodes: 'digest' | 'client-details' | 'fundamentals') =>
      createServer(
        {
          name: 't',
          version: '1',
          tools: {
            fail: tool({}, () => {
              throw rpcError('tool-execution-failed', 'failed');
            }),
          },
        },
        { compat: { errorCodes } },
      );
    const codes: unknown[] = [];
    for (const errorCodes of ['digest', 'client-details', 'fundamentals'] as const) {
      const client = await connect(thrower(errorCodes), { protocolVersions: ['2025-06-18'], compat: { errorCodes } });
      const failure = await client.tools.call('fail').catch((failure) => failure);
      codes.push([failure.code, failure.reason]);
      await client.close();
    }
    expect(codes).toEqual([-32004, -32004, -32002].map((code) => [code, 'tool-execution-failed']));
  });
});

describe('a dialect', () => {
  const samplingRequest = (params: Json): Json => ({
    jsonrpc: '2.0',
    id: 'q',
    method: 'sampling/createMessage',
    params,
  });
  const messages = [{ role: 'user', content: { type: 'text', text: 'hello' } }];

  it.each([
    [['optional-max-tokens'] as const, { result: { role: 'assistant', model: 'm' } }],
    [[] as const, { error: { code: -32602 } }],
  ])('%j decides whether a sampling request without maxTokens is valid', async (dialects, answered) => {
    let received = (_message: Json): void => {};
    const answer = new Promise<Json>((resolve) => {
      received = resolve;
    });
    const raw = scriptedServer(
      session({}, (message, send) => {
        if (message.method === 'notifications/initialized') send(samplingRequest({ messages }));
        if (message.id === 'q') received(message);
      }),
    );
    const sample = () => ({ role: 'assistant', model: 'm', content: { type: 'text', text: 'hi' } }) as const;
    const client = await connect(raw.transport, {
      protocolVersions: ['2025-06-18'],
      compat: { dialects },
      handlers: { sample },
    });
    expect(await answer).toMatchObject(answered);
    await client.close();
  });
});

it.each(protocolVersions)(
  'setLogLevel() at %s refuses a level that is not one, and later calls succeed',
  async (version) => {
    await using client = await connect(server, { protocolVersions: [version] });
    const failure = await client.setLogLevel('warn' as never).catch((failure) => failure);
    expect(failure).toMatchObject({ code: 'invalid-argument', details: { place: 'level' } });
    expect(failure.message).toContain(
      'setLogLevel(): level is not valid. level must be one of debug, info, notice, warning',
    );
    expect(await client.tools.call('here')).toMatchObject({ content: [{ text: 'here' }] });
  },
);

describe.each(sessions)('capabilities at %s', (revision) => {
  const declaring = (capabilities: Json) =>
    scriptedServer(
      session({ capabilities }, (message, send) =>
        message.id === undefined ? undefined : send(refuse(message, -32601)),
      ),
    );

  it('that were not declared are rejected locally, and nothing is sent [S04, s-lifecycle-17]', async () => {
    const raw = declaring({});
    const client = await connect(raw.transport, { protocolVersions: [revision] });
    const refusal = (capability: string) => ({ code: 'capability-not-supported', details: { capability } });
    const listed = async (list: () => { all(): Promise<unknown> }): Promise<unknown> => list().all();
    await expect(listed(() => client.tools.list())).rejects.toMatchObject(refusal('tools'));
    await expect(client.tools.call('x')).rejects.toMatchObject(refusal('tools'));
    await expect(listed(() => client.resources.list())).rejects.toMatchObject(refusal('resources'));
    await expect(listed(() => client.resources.listTemplates())).rejects.toMatchObject(refusal('resources'));
    await expect(client.resources.read('a://b')).rejects.toMatchObject(refusal('resources'));
    await expect(listed(() => client.prompts.list())).rejects.toMatchObject(refusal('prompts'));
    await expect(client.prompts.get('x')).rejects.toMatchObject(refusal('prompts'));
    await expect(client.setLogLevel('info')).rejects.toMatchObject(refusal('logging'));
    await client.close();
    expect(raw.methods()).toEqual(['initialize', 'notifications/initialized']);
  });

  it('that are false count as not declared [S04]', async () => {
    const raw = declaring({ tools: { listChanged: false }, resources: { subscribe: false, listChanged: false } });
    const client = await connect(raw.transport, {
      protocolVersions: [revision],
      requiredCapabilities: ['tools', 'resources'],
    });
    const filters: Array<[Parameters<typeof client.subscribe>[0], string]> = [
      [{ toolsListChanged: true }, 'tools.listChanged'],
      [{ resourcesListChanged: true }, 'resources.listChanged'],
      [{ resourceSubscriptions: ['a://b'] }, 'resources.subscribe'],
    ];
    for (const [filter, capability] of filters)
      await expect(client.subscribe(filter)).rejects.toMatchObject({
        code: 'capability-not-supported',
        details: { capability },
      });
    await client.close();
    expect(raw.methods()).toEqual(['initialize', 'notifications/initialized']);
  });

  it.each(['tools.listChanged', 'resources.subscribe', 'prompts'] as const)(
    'that are required and missing (%s) make connect reject [S04]',
    async (path) => {
      const raw = declaring({ tools: { listChanged: false }, resources: {} });
      await expect(
        connect(raw.transport, { protocolVersions: [revision], requiredCapabilities: ['tools', path] }),
      ).rejects.toMatchObject({
        code: 'capability-not-supported',
        message: expect.stringContaining(path),
        details: { capability: path },
      });
      await raw.left;
    },
  );

  it('outside the specification are sent under `experimental` [S04]', async () => {
    const own = createServer({ name: 'o', version: '1', experimental: { ours: { depth: 3 } } });
    const client = await connect(own, { protocolVersions: [revision] });
    expect(client.capabilities.experimental).toEqual({ ours: { depth: 3 } });
    await client.close();
  });
});

describe.each(protocolVersions)('experimental capabilities at %s', (revision) => {
  const seen: unknown[] = [];
  const trying = createServer({
    name: 'trying',
    version: '1',
    experimental: { 'com.example.deep': { depth: 3 } },
    tools: {
      look: tool({}, (_given, { caller }) => {
        seen.push(caller.capabilities.experimental);
        return 'seen';
      }),
    },
  });
  const protocolVersions = [revision];

  it('that a client declares reach the handlers of the server [S04]', async () => {
    const experimental = { tasks: {}, ours: { level: 2 } };
    await using client = await connect(trying, { protocolVersions, experimental });
    await client.tools.call('look');
    expect(seen.pop()).toEqual(experimental);
  });

  it('can be required of a server: without one of them connecting fails [S04]', async () => {
    const requiredCapabilities = ['experimental.com.example.deep'] as const;
    await using client = await connect(trying, { protocolVersions, requiredCapabilities });
    expect(client.capabilities.experimental).toEqual({ 'com.example.deep': { depth: 3 } });
    for (const missing of ['experimental.com', 'experimental.toString'] as const)
      await expect(
        connect(trying, { protocolVersions, requiredCapabilities: [...requiredCapabilities, missing] }),
      ).rejects.toMatchObject({ code: 'capability-not-supported', details: { capability: missing } });
  });
});

describe('requiredCapabilities', () => {
  it('are checked against discovery in an exchange, too [S04]', async () => {
    await expect(connect(server, { requiredCapabilities: ['resources'] })).rejects.toMatchObject({
      code: 'capability-not-supported',
    });
    const client = await connect(server, { requiredCapabilities: ['tools', 'tools.listChanged', 'logging'] });
    expect(client.protocolVersion).toBe('2026-07-28');
    await client.close();
  });
});

describe('an invalid message of a server', () => {
  const noise: ReadonlyArray<readonly [string, unknown, string, string]> = [
    ['no JSON', 'Listening on port 3000', 'invalid-json', 'Listening on port 3000'],
    ['no message', { jsonrpc: '1.0', method: 'x' }, 'invalid-message', 'jsonrpc'],
    [
      'a notification of the wrong shape',
      { jsonrpc: '2.0', method: 'notifications/message', params: { level: 'loud', data: 1 } },
      'invalid-message',
      'loud',
    ],
  ];
  const unknown: ReadonlyArray<readonly [string, Json, string]> = [
    ['notification', { jsonrpc: '2.0', method: 'notifications/weird' }, 'notifications/weird'],
    ['request', { jsonrpc: '2.0', id: 9, method: 'what/ever' }, 'what/ever'],
  ];
  const noisy = (sent: unknown) =>
    scriptedServer(
      session({}, (message, send) => {
        if (message.method !== 'ping') return;
        send(sent);
        send(answer(message, {}));
      }),
    );

  it.each(noise)(
    '(%s) is dropped with a warning, and the connection continues [S26]',
    async (_name, sent, code, words) => {
      const warnings: Error[] = [];
      const server = noisy(sent);
      const client = await connect(server.transport, {
        protocolVersions: ['2025-06-18'],
        onWarning: (warning) => warnings.push(warning),
      });
      await client.ping();
      expect(warnings).toMatchObject([{ code, message: expect.stringContaining(words) }]);
      expect(client.stats().dropped).toEqual({ late: 0, unknown: 0, invalid: 1 });
      await client.close();
    },
  );

  it.each(unknown)(
    '(a %s of an unknown method) causes a warning and is counted, and the connection continues [S26]',
    async (_name, sent, words) => {
      const warnings: Error[] = [];
      const server = noisy(sent);
      const onWarning = (error: Error) => warnings.push(error);
      await using client = await connect(server.transport, { protocolVersions: ['2025-06-18'], onWarning });
      await client.ping();
      await client.ping();
      expect(warnings).toHaveLength(2);
      expect(warnings[0]).toMatchObject({ code: 'invalid-message', message: expect.stringContaining(words) });
      expect(client.stats().dropped.invalid).toBe(2);
      const answers = server.received.filter(({ id }) => id === 9);
      const refusal = { id: 9, error: { code: -32601 } };
      expect(answers).toMatchObject('id' in sent ? [refusal, refusal] : []);
    },
  );

  it.each(unknown)(
    '(a %s of an unknown method) closes a strict connection, after the answer with -32601 [S25]',
    async (_name, sent, words) => {
      const server = noisy(sent);
      const reasons: unknown[] = [];
      const client = await connect(server.transport, {
        protocolVersions: ['2025-06-18'],
        strict: true,
        onWarning: () => {},
        onClose: (reason) => reasons.push(reason),
      });
      await expect(client.ping()).rejects.toMatchObject({ code: 'connection-closed' });
      await server.left;
      const line = JSON.stringify(sent);
      expect(reasons).toMatchObject([{ code: 'invalid-message', details: { line, strict: true } }]);
      expect(reasons[0]).toMatchObject({ message: expect.stringContaining(words) });
      const answers = server.received.filter(({ id }) => id === 9);
      expect(answers).toMatchObject('id' in sent ? [{ id: 9, error: { code: -32601 } }] : []);
    },
  );

  it.each(noise)('(%s) closes a strict connection, and the error shows the text', async (_name, sent, code, words) => {
    const reasons: unknown[] = [];
    const server = noisy(sent);
    const closed = (reason: unknown) => reasons.push(reason);
    const client = await connect(server.transport, { protocolVersions: ['2025-06-18'], strict: true, onClose: closed });
    const waiting = [client.ping(), client.ping()];
    const cause = expect.objectContaining({ code, message: expect.stringContaining(words) });
    for (const call of await Promise.allSettled(waiting))
      expect(call).toMatchObject({ status: 'rejected', reason: { code: 'connection-closed', cause } });
    await server.left;
    expect(reasons).toEqual([cause]);
    await expect(client.ping()).rejects.toMatchObject({ code: 'connection-closed' });
  });
});
