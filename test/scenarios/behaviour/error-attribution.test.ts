/** Failures are attributed: `onError` gets the call they belong to, and errors of other servers are not passed on. */
import {
  connect,
  createServer,
  prompt,
  RpcError,
  resource,
  resourceTemplate,
  rpcError,
  type ServerOptions,
  tool,
} from 'tenon';
import { protocolVersions } from 'tenon/protocol';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { deferred } from '../../kit/deferred.ts';
import { openAt } from '../../kit/transport/raw-connection.ts';

type RecordedError = [unknown, { method: string; target: string }];

function errorRecorder(): { errors: RecordedError[]; onError: NonNullable<ServerOptions['onError']> } {
  const errors: RecordedError[] = [];
  return { errors, onError: (error, call) => errors.push([error, call]) };
}

const args = z.object({ a: z.string() });
const broken = (): never => {
  throw new Error('broken');
};

describe.each(protocolVersions)('a completion at %s', (revision) => {
  const definition = {
    name: 'completing',
    version: '1',
    prompts: { greet: prompt({ argsSchema: args, complete: { a: broken } }, () => 'hi') },
    resourceTemplates: { 'a://{a}': resourceTemplate({ complete: { a: () => ['x'] } }, () => 'x') },
  };

  it('passes through middleware with the name of its prompt or the URI of its template, so that a guard can check it', async () => {
    const seen: string[] = [];
    const server = createServer(definition, {
      middleware: [
        ({ method, target }, next) => {
          seen.push(`${method} ${target}`);
          if (target === 'a://{a}') throw rpcError('permission-denied', 'not you');
          return next();
        },
      ],
      onError: () => {},
    });
    await using client = await connect(server, { protocolVersions: [revision] });
    const argument = { name: 'a', value: '' };
    await expect(client.complete({ type: 'ref/prompt', name: 'greet' }, argument)).rejects.toMatchObject({
      code: -32603,
    });
    await expect(client.complete({ type: 'ref/resource', uri: 'a://{a}' }, argument)).rejects.toMatchObject({
      reason: 'permission-denied',
    });
    expect(seen).toEqual(['completion/complete greet', 'completion/complete a://{a}']);
  });

  it('that fails is passed to `onError` with that name', async () => {
    const { errors, onError } = errorRecorder();
    await using client = await connect(createServer(definition, { onError }), { protocolVersions: [revision] });
    await client.complete({ type: 'ref/prompt', name: 'greet' }, { name: 'a', value: '' }).catch(() => {});
    expect(errors).toEqual([[expect.any(Error), { method: 'completion/complete', target: 'greet' }]]);
  });
});

describe.each(protocolVersions)('a result that cannot be sent at %s', (revision) => {
  const server = (onError: ServerOptions['onError']) =>
    createServer(
      {
        name: 'unsendable',
        version: '1',
        tools: {
          huge: tool({}, () => 'x'.repeat(10_000)),
        },
        resources: { 'a://odd': resource({}, () => [{ text: 5 as never }]) },
      },
      { ...(onError && { onError }) },
    );

  it.each([
    ['over the limit', 'tools/call', { name: 'huge' }, 'huge'],
    ['not valid in the protocol', 'resources/read', { uri: 'a://odd' }, 'a://odd'],
  ])('because it is %s is reported with its call: %s', async (_why, method, params, target) => {
    const received = deferred<RecordedError>();
    const { ask, send } = await openAt(
      server((error, call) => received.resolve([error, call])),
      revision,
      { limits: { maxMessageChars: 5000 } },
    );
    send(ask(1, method, params));
    expect(await received.promise).toMatchObject([{ code: 'invalid-outgoing-message' }, { method, target }]);
  });
});

describe.each(protocolVersions)('a handler that calls another server at %s', (revision) => {
  const secret = { token: 'hunter2' };
  const far = createServer({
    name: 'far',
    version: '1',
    tools: {
      it: tool({}, (): string => {
        throw rpcError('permission-denied', 'far secret', secret);
      }),
    },
  });
  const ownError = (): string => {
    throw new RpcError(4711, 'mine', { own: true });
  };
  const passOn = async (): Promise<string> => {
    await using client = await connect(far, { protocolVersions: [revision] });
    await client.tools.call('it');
    return 'never';
  };
  const near = (onError: ServerOptions['onError']) =>
    createServer(
      {
        name: 'near',
        version: '1',
        tools: { it: tool({}, passOn), own: tool({}, ownError) },
        prompts: { it: prompt({ argsSchema: args, complete: { a: async () => [await passOn()] } }, passOn) },
        resources: { 'a://it': resource({}, passOn) },
      },
      { ...(onError && { onError }) },
    );

  it('fails like with any other error when that server refuses, and `onError` gets the refusal', async () => {
    const { errors, onError } = errorRecorder();
    await using client = await connect(near(onError), { protocolVersions: [revision] });
    const results = [
      await client.tools.call('it'),
      await client.prompts.get('it', { a: 'x' }).catch(({ code, message, data }) => ({ code, message, data })),
      await client.resources.read('a://it').catch(({ code, message, data }) => ({ code, message, data })),
      await client
        .complete({ type: 'ref/prompt', name: 'it' }, { name: 'a', value: '' })
        .catch(({ code, message, data }) => ({ code, message, data })),
    ];
    const internal = { code: -32603, message: 'Internal error', data: undefined };
    expect(results).toEqual([
      expect.objectContaining({ isError: true, content: [{ type: 'text', text: 'The tool it failed.' }] }),
      internal,
      internal,
      internal,
    ]);
    expect(errors.map(([error]) => error)).toEqual(
      results.map(() => expect.objectContaining({ reason: 'permission-denied', data: secret, fromPeer: true })),
    );
  });

  it('fails the same when its middleware makes that call', async () => {
    const { errors, onError } = errorRecorder();
    const server = createServer(
      { name: 'near', version: '1', tools: { own: tool({}, ownError) } },
      {
        onError,
        middleware: [
          async (_call, next) => {
            await passOn();
            return next();
          },
        ],
      },
    );
    await using client = await connect(server, { protocolVersions: [revision] });
    await expect(client.tools.call('own')).rejects.toMatchObject({ code: -32603, message: 'Internal error' });
    expect(errors).toEqual([
      [expect.objectContaining({ message: 'far secret' }), { method: 'tools/call', target: 'own' }],
    ]);
  });

  it('passes on an error that it created itself', async () => {
    await using client = await connect(near(undefined), { protocolVersions: [revision] });
    await expect(client.tools.call('own')).rejects.toMatchObject({
      code: 4711,
      message: 'mine',
      data: { own: true },
    });
  });
});

describe.each(protocolVersions)('a handler that returns a thenable at %s', (revision) => {
  /** Like some query builders: their `then` returns nothing. */
  const thenable = (value: string, how: 'fulfilled' | 'rejected' = 'fulfilled'): PromiseLike<string> =>
    new Proxy({} as PromiseLike<string>, {
      get: (_target, key) =>
        key === 'then'
          ? (fulfil: (value: string) => void, reject: (error: Error) => void): void =>
              how === 'fulfilled' ? fulfil(value) : reject(new Error(value))
          : undefined,
    });
  const server = createServer(
    {
      name: 'thenable',
      version: '1',
      tools: {
        it: tool({}, () => thenable('done') as Promise<string>),
        fails: tool({}, () => thenable('no', 'rejected') as Promise<string>),
      },
      resources: { 'a://it': resource({}, () => thenable('read') as Promise<string>) },
      prompts: { it: prompt({}, () => thenable('prompted') as Promise<string>) },
    },
    { onError: () => {} },
  );

  it('is awaited', async () => {
    await using client = await connect(server, { protocolVersions: [revision] });
    expect((await client.tools.call('it')).content).toMatchObject([{ text: 'done' }]);
    expect(await client.tools.call('fails')).toMatchObject({ isError: true });
    expect((await client.resources.read('a://it')).contents).toMatchObject([{ text: 'read' }]);
    expect((await client.prompts.get('it')).messages).toMatchObject([{ content: { text: 'prompted' } }]);
  });
});
