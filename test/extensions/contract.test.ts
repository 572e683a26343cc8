/** An extension as a contract: both sides validate by it, and it is absent if the other side did not declare it. */
import { connect, createServer, type ProtocolVersion } from 'tenon';
import {
  defineExtension,
  defineMethod,
  defineNotification,
  defineVendorMethods,
  serveExtension,
  useExtension,
} from 'tenon/extensions';
import { protocolVersions } from 'tenon/protocol';
import { describe, expect, expectTypeOf, it, vi } from 'vitest';
import * as z from 'zod';
import { greetings, serveGreetings } from '../kit/samples/greetings-extension.ts';
import { connectRecorded } from '../kit/transport/recorded-connection.ts';
import { sessionVersions } from '../kit/version-order.ts';

const { hello, order } = greetings.methods;
const { left, waved } = greetings.notifications;

const greeter = (received?: (why: string) => void) =>
  createServer({ name: 's', version: '1', extensions: [serveGreetings(received)] });

describe.each(protocolVersions)('an extension at %s', (revision: ProtocolVersion) => {
  const revisions = [revision];

  it('is declared by both sides, and its methods are called and typed by the contract', async () => {
    const waves: string[] = [];
    const used = useExtension(greetings, {
      settings: { loud: 1 },
      notifications: { waved: ({ to }) => void waves.push(to) },
    });
    await using client = await connect(greeter(), { protocolVersions: revisions, extensions: [used] });
    expect(client.capabilities.extensions).toEqual({ 'com.example/greetings': { polite: true } });
    const { text } = await client.request(hello, { name: 'Ada' });
    expect(text).toBe('Hello, Ada, who says {"loud":1}');
    expect(waves).toEqual(['Ada']);
  });

  it('has invalid params refused on both sides [ext-06]', async () => {
    await using client = await connect(greeter(), { protocolVersions: revisions, extensions: [greetings] });
    const wrong = { name: 3 } as unknown as { name: string };
    await expect(client.request(hello, wrong)).rejects.toMatchObject({ code: 'invalid-outgoing-message' });
    await expect(client.request('greetings/hello', wrong)).rejects.toMatchObject({ code: -32602 });
  });

  it('is absent for a client that did not declare it [ext-04, e-version-06]', async () => {
    const open = defineVendorMethods({ methods: { hello } });
    await using client = await connect(greeter(), { protocolVersions: revisions, extensions: [open] });
    await expect(client.request(hello, { name: 'Ada' })).rejects.toMatchObject({ code: -32601 });
  });

  it('is refused by a client whose server did not declare it, before anything is sent [ext-05]', async () => {
    const { client, sent } = await connectRecorded(createServer({ name: 's', version: '1' }), {
      protocolVersions: revisions,
      extensions: [greetings],
    });
    const before = sent.length;
    await expect(client.request(hello, { name: 'Ada' })).rejects.toMatchObject({
      code: 'capability-not-supported',
      details: { extension: 'com.example/greetings' },
    });
    expect(sent).toHaveLength(before);
    await client.close();
  });

  it('is not mentioned on the wire if neither side uses it; a client offers to follow tasks only [ext-01]', async () => {
    const server = createServer({ name: 's', version: '1' });
    const { client, sent, received } = await connectRecorded(server, { protocolVersions: revisions });
    const offered = '"extensions":{"io.modelcontextprotocol/tasks":{}}';
    expect(JSON.stringify(sent).replaceAll(offered, '')).not.toContain('extensions');
    expect(JSON.stringify(received)).not.toContain('extensions');
    await client.close();
  });
});

describe.each(protocolVersions)('vendor methods at %s', (revision: ProtocolVersion) => {
  it('are called without a declaration', async () => {
    const acme = defineVendorMethods({
      methods: {
        add: defineMethod('acme/add', { params: z.object({ a: z.number() }), result: z.object({ b: z.number() }) }),
      },
    });
    const server = createServer({
      name: 's',
      version: '1',
      extensions: [serveExtension(acme, { methods: { add: ({ a }) => ({ b: a + 1 }) } })],
    });
    await using client = await connect(server, { protocolVersions: [revision], extensions: [acme] });
    expect(await client.request(acme.methods.add, { a: 1 })).toEqual({ b: 2 });
    expect(client.capabilities.extensions).toBeUndefined();
  });
});

describe.each(sessionVersions)('in a session at %s', (revision) => {
  it('an extension that the client does not declare is absent, and its notifications are not sent', async () => {
    const bare = defineExtension('com.example/bare', { methods: { hello: defineMethod('bare/hello', hello) } });
    const served = serveExtension(bare, { methods: { hello: ({ name }) => ({ text: name }) } });
    const server = createServer({ name: 's', version: '1', extensions: [served] });
    const { client, sent, received } = await connectRecorded(server, {
      protocolVersions: [revision],
      extensions: [bare],
    });
    await expect(client.request(bare.methods.hello, { name: 'Ada' })).rejects.toMatchObject({
      code: 'capability-not-supported',
    });
    expect(JSON.stringify([sent, received])).not.toContain('extensions');
    await client.close();
  });

  it('a client notifies the server, and the server notifies all clients that declared the extension', async () => {
    const received = vi.fn();
    const waves: string[] = [];
    const server = greeter(received);
    const notifications = { waved: ({ to }: { to: string }) => void waves.push(to) };
    await using client = await connect(server, {
      protocolVersions: [revision],
      extensions: [useExtension(greetings, { notifications })],
    });
    await using stranger = await connect(server, { protocolVersions: [revision], strict: true });
    client.notify(left, { why: 'tired' });
    server.notify(waved, { to: 'all' });
    await client.ping();
    await stranger.ping();
    expect(received).toHaveBeenCalledExactlyOnceWith('tired');
    expect(waves).toEqual(['all']);
  });
});

describe('at 2026-07-28', () => {
  const options = { protocolVersions: ['2026-07-28'], extensions: [greetings] } as const;

  it('a result of another type has its resultType, and is typed by it', async () => {
    await using client = await connect(greeter(), options);
    expect(await client.request(order, { cards: 2 })).toEqual({ sent: 2 });
    const answer = await client.request(order, { cards: 20 });
    expect('resultType' in answer && answer.resultType === 'queued' ? answer.behind : undefined).toBe(3);
  });

  it('a cacheable method has cache fields in its results', async () => {
    const server = createServer({
      name: 's',
      version: '1',
      cache: { ttlMs: 500, scope: 'public' },
      extensions: [serveGreetings()],
    });
    const { client, received } = await connectRecorded(server, options);
    await client.request(order, { cards: 2 });
    expect(received.at(-1)).toMatchObject({ result: { sent: 2, ttlMs: 500, cacheScope: 'public' } });
    await client.close();
  });

  it('a client cannot send a notification, since there are no sessions', async () => {
    await using client = await connect(greeter(), options);
    expect(() => client.notify(left, { why: 'tired' })).toThrow(
      expect.objectContaining({ code: 'invalid-outgoing-message' }),
    );
  });

  it('an extension with whenUndeclared "reject" refuses clients that did not declare it with their missing capability', async () => {
    const strict = defineExtension('com.example/strict', {
      methods: { hello: defineMethod('strict/hello', hello) },
      whenUndeclared: 'reject',
    });
    const served = serveExtension(strict, { methods: { hello: ({ name }) => ({ text: name }) } });
    const server = createServer({ name: 's', version: '1', extensions: [served] });
    const open = defineVendorMethods({ methods: strict.methods });
    await using client = await connect(server, { protocolVersions: ['2026-07-28'], extensions: [open] });
    await expect(client.request(strict.methods.hello, { name: 'Ada' })).rejects.toMatchObject({
      code: -32021,
      data: { requiredCapabilities: { extensions: { 'com.example/strict': {} } } },
    });
  });
});

describe('calls and definitions of an extension', () => {
  const served = (hello: () => unknown) =>
    serveExtension(
      defineExtension('com.example/one', { methods: { hello: defineMethod('one/hello', greetings.methods.hello) } }),
      {
        methods: { hello: hello as never },
      },
    );

  it.each<[string, () => unknown]>([
    ['breaks its schema', () => ({ text: 3 })],
    ['is not an object', () => 'text'],
    [
      'is thrown',
      () => {
        throw new Error('secret');
      },
    ],
  ])('a result that %s becomes an internal error without details', async (_, handler) => {
    const failed = vi.fn();
    const one = served(handler);
    const server = createServer({ name: 's', version: '1', extensions: [one] }, { onError: failed });
    await using client = await connect(server, { extensions: [one.extension], protocolVersions: ['2026-07-28'] });
    await expect(client.request('one/hello', { name: 'Ada' })).rejects.toMatchObject({
      code: -32603,
      message: 'Internal error',
    });
    expect(failed).toHaveBeenCalledOnce();
  });

  it('a call reaches the middleware with its method and target', async () => {
    const seen: string[] = [];
    const server = createServer(
      { name: 's', version: '1', extensions: [serveGreetings()] },
      { middleware: [(call, next) => (seen.push(`${call.method} ${call.target}`), next())] },
    );
    await using client = await connect(server, { extensions: [greetings] });
    await client.request(hello, { name: 'Ada' });
    expect(seen).toEqual(['greetings/hello Ada']);
  });

  it.each<[string, () => unknown]>([
    ['a method of the protocol', () => defineExtension('a.b/c', { methods: { x: defineMethod('tools/call', hello) } })],
    ['a method of tasks', () => defineExtension('a.b/c', { methods: { x: defineMethod('tasks/wait', hello) } })],
    ['a name without a prefix', () => defineExtension('a.b/c', { methods: { x: defineMethod('hello', hello) } })],
    ['an identifier without a prefix', () => defineExtension('greetings')],
    [
      'a result type of the protocol',
      () =>
        defineExtension('a.b/c', {
          methods: { x: defineMethod('c/x', { ...hello, resultTypes: { task: z.object({}) } }) },
        }),
    ],
    [
      'a notification of the protocol',
      () => defineExtension('a.b/c', { notifications: { x: defineNotification('notifications/message', waved) } }),
    ],
    [
      'the same extension twice',
      () => createServer({ name: 's', version: '1', extensions: [serveGreetings(), serveGreetings()] }),
    ],
    [
      'an extension without serveExtension()',
      () => createServer({ name: 's', version: '1', extensions: [greetings as never] }),
    ],
    [
      'an option of serveExtension() that does not exist',
      () =>
        createServer({
          name: 's',
          version: '1',
          extensions: [serveExtension(defineExtension('a.b/c'), { methods: {}, notification: {} } as never)],
        }),
    ],
    [
      'a handler for a notification that clients do not send',
      () =>
        createServer({
          name: 's',
          version: '1',
          extensions: [
            serveExtension(defineExtension('a.b/c'), { methods: {}, notifications: { x: () => {} } } as never),
          ],
        }),
    ],
    [
      'a missing handler',
      () =>
        createServer({ name: 's', version: '1', extensions: [serveExtension(greetings, { methods: {} as never })] }),
    ],
  ])('%s is refused at definition [ext-tasks-67]', (_, define) => {
    expect(define).toThrow(expect.objectContaining({ code: 'invalid-definition' }));
  });

  it.each<[object, string]>([
    [{ receive: {} }, 'receive is not an option'],
    [{ notification: {} }, 'Did you mean notifications?'],
    [{ notifications: { wave: () => {} } }, 'Did you mean notifications.waved?'],
    [{ notifications: { left: () => {} } }, 'notifications.left is not an option'],
    [{ notifications: { waved: 5 } }, 'notifications.waved must be a function'],
  ])('useExtension() refuses %j', (options, text) => {
    expect(() => useExtension(greetings, options)).toThrow(text);
  });

  it('a method of an extension that the client does not use is refused', async () => {
    await using client = await connect(greeter());
    await expect(client.request(hello, { name: 'Ada' })).rejects.toMatchObject({ code: 'invalid-argument' });
  });
});

describe('the types of an extension', () => {
  it('are those of its schemas, on both sides', async () => {
    await using client = await connect(greeter(), { protocolVersions: ['2026-07-28'], extensions: [greetings] });
    const answer = await client.request(order, { cards: 1 });
    expectTypeOf(answer).toEqualTypeOf<{ sent: number } | ({ readonly resultType: 'queued' } & { behind: number })>();
    expectTypeOf(client.request(hello, { name: 'Ada' })).resolves.toEqualTypeOf<{ text: string }>();
    // @ts-expect-error: params that the schema requires cannot be left out.
    await expect(client.request(hello)).rejects.toMatchObject({ code: 'invalid-outgoing-message' });
    // @ts-expect-error: a handler returns what the schema of the result accepts.
    serveExtension(greetings, { methods: { hello: () => ({ text: 1 }), order: () => ({ sent: 1 }) } });
    // @ts-expect-error: a client cannot send a notification from servers.
    expect(() => client.notify(waved, { to: 'all' })).toThrow(
      expect.objectContaining({ code: 'invalid-outgoing-message' }),
    );
  });
});
