/** Middleware that fails or hangs: the error is passed to `onError`, and the call still ends. */

import { connect, createServer, prompt, resource, resourceTemplate, tool } from 'tenon';
import type { Middleware, ServerOptions } from 'tenon/server';
import { createMemoryTransports } from 'tenon/transport';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { createFakeClock } from '../../../src/lib/time/fake-clock.ts';
import { withClock } from '../../../src/lib/time/internal-deadlines.ts';
import { deferred } from '../../kit/deferred.ts';
import { allModes, type Mode, repeatingModes, sampled } from '../../kit/server-request-modes.ts';

const prompted = { messages: [], maxTokens: 1 };
const timeoutMs = 20;
const begun: string[] = [];
const note = (what: string): string => {
  begun.push(what);
  return what;
};

const server = (options: ServerOptions) =>
  createServer(
    {
      name: 'chained',
      version: '1',
      tools: {
        ask: tool({}, async (_given, { sample }) => (await sample('a', prompted)).model),
        quick: tool({ timeoutMs }, () => note('quick')),
        slow: tool({}, () => new Promise<string>(() => {})),
      },
      prompts: {
        p: prompt({ argsSchema: z.object({ a: z.string() }), complete: { a: () => ['x'] }, timeoutMs }, () => 'p'),
      },
      resources: { 'r://r': resource({ timeoutMs }, () => 'r') },
      resourceTemplates: { 't://{a}': resourceTemplate({ timeoutMs }, () => 't') },
    },
    options,
  );

async function opened({ revision, replay }: Mode, options: ServerOptions, clock = createFakeClock()) {
  const errors: unknown[] = [];
  const onError: ServerOptions['onError'] = (error, call) => errors.push([(error as Error).message, call]);
  const [here, there] = createMemoryTransports();
  server({ alwaysReplay: replay, onError, ...options }).accept(there, withClock(clock));
  const client = await connect(here, { protocolVersions: [revision], handlers: { sample: () => sampled } });
  return { client, errors, clock };
}

describe.each(repeatingModes)('Middleware around a call that ends its run with a server request, $name', (mode) => {
  it.each<[string, Middleware, string]>([
    ['returns nothing', async (_call, next) => void (await next()) as never, 'returned no outcome'],
    [
      'returns other server requests',
      async (_call, next) => ({ ...(await next()), inputRequests: {} }) as never,
      'returned no outcome',
    ],
    ['calls next() twice', async (_call, next) => (await next()) && next(), 'twice'],
    [
      'throws',
      async (_call, next) => {
        await next();
        throw new Error('out of disk');
      },
      'out of disk',
    ],
  ])('that %s fails the call, and `onError` gets the error', async (_what, faulty, text) => {
    const { client, errors } = await opened(mode, { middleware: [faulty] });
    await expect(client.tools.call('ask')).rejects.toMatchObject({ code: -32603 });
    expect(errors).toEqual([[expect.stringContaining(text), { method: 'tools/call', target: 'ask' }]]);
    await client.close();
  });

  it('may return a copy of the outcome', async () => {
    const { client, errors } = await opened(mode, { middleware: [async (_call, next) => ({ ...(await next()) })] });
    expect((await client.tools.call('ask')).content).toMatchObject([{ text: 'm' }]);
    expect(errors).toEqual([]);
    await client.close();
  });
});

/** A cache that loads its result lazily, and fails. */
const unreadable: Middleware = () => ({
  resultType: 'complete',
  get result(): never {
    throw new Error('out of order');
  },
});
const passesOn: Middleware = (_call, next) => next();
const waits: Middleware = async (_call, next) => await next();
const done = { resultType: 'complete', result: { content: [] } } as const;

describe.each(allModes)('Middleware that fails, $name', (mode) => {
  it.each<[string, Middleware[]]>([
    ['alone', [unreadable]],
    ['behind one that passes on', [passesOn, unreadable]],
    ['behind one that awaits', [waits, unreadable]],
    ['before others', [async (...given) => unreadable(...given), waits, passesOn]],
  ])('when its result is read fails the call, and `onError` gets the error: %s', async (_where, middleware) => {
    const { client, errors } = await opened(mode, { middleware });
    await expect(client.tools.call('quick')).rejects.toMatchObject({ code: -32603 });
    expect(errors).toEqual([['out of order', { method: 'tools/call', target: 'quick' }]]);
    await client.close();
  });

  it.each<[string, Middleware]>([
    ['its result cannot be read', unreadable],
    ['it returns no result', () => undefined as never],
    [
      'it throws',
      () => {
        throw new Error('at once');
      },
    ],
    ['it throws later', async () => Promise.reject(new Error('late'))],
  ])('behind one that answers without waiting causes no unhandled rejection: %s', async (_what, inner) => {
    const unhandled: unknown[] = [];
    const receive = (error: unknown): void => void unhandled.push(error);
    process.on('unhandledRejection', receive);
    const hasty: Middleware = (_call, next) => {
      void next();
      return done;
    };
    const { client } = await opened(mode, { middleware: [hasty, passesOn, inner] });
    expect(await client.tools.call('quick')).toMatchObject(done.result);
    await new Promise(setImmediate);
    process.off('unhandledRejection', receive);
    expect(unhandled).toEqual([]);
    await client.close();
  });
});

const calls: ReadonlyArray<[string, Record<string, unknown>]> = [
  ['tools/call', { name: 'quick' }],
  ['prompts/get', { name: 'p', arguments: { a: 'x' } }],
  ['resources/read', { uri: 'r://r' }],
  ['resources/read', { uri: 't://x' }],
  ['completion/complete', { ref: { type: 'ref/prompt', name: 'p' }, argument: { name: 'a', value: '' } }],
  ['tools/list', {}],
];

describe.each(allModes)('Middleware that hangs, $name', (mode) => {
  it.each(calls)(
    'before the handler is ended by the timeout of %s of %j, and its slot is released',
    async (method, params) => {
      const hanging = deferred<AbortSignal>();
      let isFirst = true;
      const hang: Middleware = ({ ctx: context }, next) => {
        if (!isFirst) return next();
        isFirst = false;
        hanging.resolve(context.signal);
        return new Promise(() => {});
      };
      const { client, clock } = await opened(mode, {
        middleware: [hang],
        limits: { maxConcurrentCalls: 1 },
        timeoutMs,
      });
      const call = client.request(method, params).catch(({ reason }) => reason);
      const signal = await hanging.promise;
      clock.advance(timeoutMs);
      expect(await call).toBe('timeout');
      expect(signal.aborted).toBe(true);
      expect(await client.request(method, params)).toBeDefined();
      await client.close();
    },
  );

  it('before the handler and then calls next() too late does not start it', async () => {
    const hanging = deferred();
    const goOn = deferred();
    const came = deferred<unknown>();
    const late: Middleware = async (_call, next) => {
      hanging.resolve();
      await goOn.promise;
      return next().catch((error) => {
        came.resolve(error.code);
        throw error;
      });
    };
    const { client, clock, errors } = await opened(mode, { middleware: [late] });
    begun.length = 0;
    const call = client.tools.call('quick').catch(({ reason }) => reason);
    await hanging.promise;
    clock.advance(timeoutMs);
    expect(await call).toBe('timeout');
    goOn.resolve();
    expect(await came.promise).toBe(-32603);
    expect([begun, errors]).toEqual([[], []]);
    await client.close();
  });

  it('after the handler is ended too', async () => {
    const hanging = deferred();
    const hang: Middleware = async (_call, next) => {
      await next();
      hanging.resolve();
      return new Promise(() => {});
    };
    const { client, clock } = await opened(mode, { middleware: [hang] });
    const call = client.tools.call('quick').catch(({ reason }) => reason);
    await hanging.promise;
    clock.advance(timeoutMs);
    expect(await call).toBe('timeout');
    await client.close();
  });

  it('sees the timeout of a handler, and the caller does not wait for it', async () => {
    const reached = deferred();
    const received = deferred<unknown>();
    const hang: Middleware = (_call, next) => {
      const within = next();
      reached.resolve();
      return within.catch((error) => {
        received.resolve(error.reason);
        return new Promise<never>(() => {});
      });
    };
    const { client, clock } = await opened(mode, { middleware: [hang], timeoutMs });
    const call = client.tools.call('slow').catch(({ reason }) => reason);
    await reached.promise;
    clock.advance(timeoutMs);
    expect(await call).toBe('timeout');
    expect(await received.promise).toBe('timeout');
    await client.close();
  });
});
