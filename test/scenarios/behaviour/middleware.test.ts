import { connect, createServer, prompt, resource, rpcError, type ServerOptions, TenonError, tool } from 'tenon';
import type { Middleware } from 'tenon/server';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { createFakeClock } from '../../../src/lib/time/fake-clock.ts';
import { withClock } from '../../../src/lib/time/internal-deadlines.ts';
import { deferred } from '../../kit/deferred.ts';

const revisions = ['2025-11-25', '2026-07-28'] as const;
const quiet = { onError: () => {} };

const serve = (options: ServerOptions = {}) =>
  createServer(
    {
      name: 'chained',
      version: '1',
      tools: {
        echo: tool({ inputSchema: z.object({ text: z.string().default('here') }) }, ({ text }) => text),
        broken: tool({}, async () => {
          throw new Error('inside');
        }),
        stolen: tool({}, () => {
          throw new TenonError('capability-not-supported', 'The server did not declare tools.', {
            details: { capability: 'tools' },
          });
        }),
        posing: tool({}, () => {
          throw new TenonError('input-required', 'not of this run');
        }),
        cyclic: tool({ outputSchema: z.any() }, () => {
          const value: Record<string, unknown> = {};
          value.self = value;
          return value;
        }),
      },
      resources: { 'a:slow': resource({}, () => new Promise<string>(() => {})) },
      prompts: { slow: prompt({}, () => new Promise<string>(() => {})) },
    },
    { ...quiet, ...options },
  );

const here = { content: [{ type: 'text', text: 'here' }] };

describe.each(revisions)('middleware at %s', (revision) => {
  const open = (options: ServerOptions) => connect(serve(options), { protocolVersions: [revision] });

  it('runs in order, gets method, target and caller, and refuses a call by throwing', async () => {
    const seen: string[] = [];
    const note =
      (name: string): Middleware =>
      async ({ method, target, ctx: context }, next) => {
        seen.push(`${name} ${method} ${target} ${context.caller.protocolVersion}`);
        const settled = await next();
        seen.push(`${name} after`);
        return settled;
      };
    const guard: Middleware = ({ target }, next) => {
      if (target === 'broken') throw rpcError('permission-denied', 'not you');
      return next();
    };
    const client = await open({ middleware: [note('one'), note('two'), guard] });
    expect(await client.tools.call('echo')).toMatchObject(here);
    expect(seen).toEqual([
      `one tools/call echo ${revision}`,
      `two tools/call echo ${revision}`,
      'two after',
      'one after',
    ]);
    await expect(client.tools.call('broken')).rejects.toMatchObject({ reason: 'permission-denied' });
    await client.close();
  });

  it('may answer without the handler', async () => {
    const own: Middleware = () => ({ resultType: 'complete', result: { content: [{ type: 'text', text: 'cached' }] } });
    const client = await open({ middleware: [own] });
    expect((await client.tools.call('broken')).content).toEqual([{ type: 'text', text: 'cached' }]);
    await client.close();
  });

  it.each<[string, unknown]>([
    ['nothing', undefined],
    ['an empty object', {}],
    ['an outcome without a result', { resultType: 'complete' }],
    ['server requests without a handler', { resultType: 'input_required', inputRequests: {}, journal: {} }],
    ['a task', { resultType: 'task', task: {} }],
  ])('that returns %s fails the call, and `onError` gets the error', async (_what, given) => {
    const failures: unknown[] = [];
    const client = await open({ middleware: [() => given as never], onError: (error) => failures.push(error) });
    await expect(client.tools.call('echo')).rejects.toMatchObject({ code: -32603 });
    expect(String(failures[0])).toContain('middleware[0]');
    await client.close();
  });

  it('gets a rejected promise from an inner one that throws synchronously', async () => {
    const received: string[] = [];
    const outer: Middleware = (_call, next) =>
      next()
        .catch((error) => {
          received.push('caught');
          throw error;
        })
        .finally(() => received.push('finally'));
    const inner: Middleware = () => {
      throw rpcError('rate-limited', 'later');
    };
    const client = await open({ middleware: [outer, inner] });
    await expect(client.tools.call('echo')).rejects.toMatchObject({ reason: 'rate-limited' });
    expect(received).toEqual(['caught', 'finally']);
    await client.close();
  });

  it('that calls next() twice fails the call', async () => {
    const twice: Middleware = async (_call, next) => {
      await next();
      return next();
    };
    const client = await open({ middleware: [twice] });
    await expect(client.tools.call('echo')).rejects.toMatchObject({ code: -32603 });
    await client.close();
  });
});

describe.each(revisions)('a handler that fails at %s', (revision) => {
  const open = (options: ServerOptions = {}) => connect(serve(options), { protocolVersions: [revision] });

  it('is reported to `onError`, and the server keeps working when that throws', async () => {
    const errors: unknown[] = [];
    const client = await open({
      onError(error, { method, target }) {
        errors.push([(error as Error).message, method, target]);
        if (target === 'broken') throw new Error('the listener too');
      },
    });
    expect((await client.tools.call('broken')).isError).toBe(true);
    expect(errors).toEqual([['inside', 'tools/call', 'broken']]);
    expect(await client.tools.call('echo')).toMatchObject(here);
    await client.close();
  });

  it('with an error of another connection shows nothing of it', async () => {
    const client = await open();
    const result = await client.tools.call('stolen');
    expect(result).toMatchObject({ isError: true, content: [{ text: 'The tool stolen failed.' }] });
    await client.close();
  });

  it('with the internal signal of another run is still answered', async () => {
    const client = await open();
    expect((await client.tools.call('posing')).isError).toBe(true);
    await client.close();
  });

  it('by returning what cannot be serialized is reported to `onError`', async () => {
    const errors: unknown[] = [];
    const client = await open({ onError: (error) => errors.push(error) });
    const answer = await client.tools.call('cyclic').catch((error) => error);
    expect(answer.isError === true || answer.code === -32603).toBe(true);
    expect(errors.length).toBeGreaterThan(0);
    await client.close();
  });

  it('by taking too long is ended by the timeout, for tools, resources and prompts', async () => {
    const client = await open({ timeoutMs: 5 });
    await expect(client.resources.read('a:slow')).rejects.toMatchObject({ reason: 'timeout' });
    await expect(client.prompts.get('slow')).rejects.toMatchObject({ reason: 'timeout' });
    await client.close();
  });
});

/** Less than the server asks a client to wait: the call is not sent again. No time passes for the client. */
const soon = { timeoutMs: 900 };

describe.each(revisions)('the limit of concurrent calls at %s', (revision) => {
  it('holds, also for cancelled calls whose handlers still run', async () => {
    const begun: Array<() => void> = [];
    const running = deferred();
    const server = createServer(
      {
        name: 'bounded',
        version: '1',
        tools: {
          wait: tool({}, () => {
            if (begun.length === 1) running.resolve();
            return new Promise<string>((resolve) => begun.push(() => resolve('done')));
          }),
        },
      },
      { ...quiet, limits: { maxConcurrentCalls: 2 } },
    );
    const client = await connect(server, { protocolVersions: [revision], ...withClock(createFakeClock()) });
    const patience = new AbortController();
    const first = client.tools.call('wait', {}, { signal: patience.signal });
    const second = client.tools.call('wait');
    await running.promise;
    await expect(client.tools.call('wait', {}, soon)).rejects.toMatchObject({ reason: 'overloaded' });
    patience.abort();
    await expect(first).rejects.toMatchObject({ code: 'cancelled' });
    await expect(client.tools.call('wait', {}, soon)).rejects.toMatchObject({ reason: 'overloaded' });
    expect(begun).toHaveLength(2);
    for (const end of begun) end();
    expect((await second).content).toEqual([{ type: 'text', text: 'done' }]);
    const third = client.tools.call('wait');
    await client.tools.list().all();
    begun[2]?.();
    expect((await third).content).toEqual([{ type: 'text', text: 'done' }]);
    await client.close();
  });
});
