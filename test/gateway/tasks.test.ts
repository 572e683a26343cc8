/** Tools of an upstream that only run as tasks: every caller can call them, and a task of the gateway survives its process. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  type ConnectOptions,
  createServer,
  openStore,
  type ProtocolVersion,
  type Server,
  serveHttp,
  tool,
} from 'tenon';
import { protocolVersions } from 'tenon/protocol';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { z } from 'zod';
import { createGateway } from '../../src/gateway/index.ts';
import { newestSession } from '../../src/protocol/revisions/revisions.ts';
import { deferred } from '../kit/deferred.ts';
import { exchangeVersion, isSince } from '../kit/version-order.ts';
import { withTimeout } from '../kit/with-timeout.ts';
import { openAs, openClient, served, startGateway, textOf } from './start.ts';

/** What the upstream has done. */
interface Done {
  /** The effects of its tools. */
  readonly effects: string[];
  readonly begun: ReturnType<typeof deferred<void>>;
  readonly finish: ReturnType<typeof deferred<void>>;
  readonly aborted: ReturnType<typeof deferred<void>>;
}

const newDone = (): Done => ({ effects: [], begun: deferred(), finish: deferred(), aborted: deferred() });

function upstream(seen: Done = newDone()): Server {
  const effect = (name: string) => (): string => {
    seen.effects.push(name);
    return name;
  };
  return createServer({
    name: 'u',
    version: '1.0.0',
    tools: {
      plain: tool({}, () => 'plain'),
      report: tool({ task: { support: 'required', pollIntervalMs: 20 } }, async (_args, ctx) => {
        await ctx.step('effect', effect('report'));
        return 'reported';
      }),
      failing: tool({ task: { support: 'required', pollIntervalMs: 20 } }, () => {
        throw new Error('never shown');
      }),
      ask: tool({ task: { support: 'required', pollIntervalMs: 20 } }, async (_args, ctx) => {
        await ctx.step('effect', effect('ask'));
        const form = { message: 'Name?', schema: z.object({ name: z.string() }) };
        const first = await ctx.elicit('one', form);
        const second = await ctx.elicit('two', form);
        return JSON.stringify([first, second].map((one) => (one.action === 'accept' ? one.content.name : one.action)));
      }),
      slow: tool({ task: { support: 'required', pollIntervalMs: 20 } }, async (_args, ctx) => {
        await ctx.step('effect', effect('slow'));
        seen.begun.resolve();
        ctx.signal.addEventListener('abort', () => seen.aborted.resolve(), { once: true });
        await Promise.race([seen.finish.promise, seen.aborted.promise]);
        return 'slow';
      }),
    },
  }) as Server;
}

/** Answers `Ada`, then `Bea`. */
function names(): ConnectOptions {
  const left = ['Ada', 'Bea'];
  return { handlers: { elicitForm: () => ({ action: 'accept', content: { name: left.shift() ?? 'none' } }) } };
}

const behinds = [newestSession.id as ProtocolVersion, exchangeVersion];
const crossings = (protocolVersions as readonly ProtocolVersion[]).flatMap((caller) =>
  behinds.map((behind) => [caller, behind] as const),
);

describe.each(crossings)(
  'A tool that only runs as a task, for a caller at %s and an upstream at %s',
  (caller, behind) => {
    const start = async (seen: Done, options: ConnectOptions = {}) => {
      const { gateway, warnings } = startGateway({
        u: { server: upstream(seen), protocolVersions: [behind] },
      });
      const client = await openClient(gateway.server, { protocolVersions: [caller], ...options });
      return { client, warnings };
    };

    it('is listed, and its call has its result and its error', async () => {
      const seen = newDone();
      const { client } = await start(seen);
      expect((await client.tools.list().all()).map(({ name }) => name)).toContain('report');
      expect(textOf(await client.tools.call('report'))).toBe('reported');
      expect(await client.tools.call('failing')).toMatchObject({ isError: true });
      expect(textOf(await client.tools.call('plain'))).toBe('plain');
      expect(seen.effects).toEqual(['report']);
    });

    it('asks its caller, if it can be asked, and runs once', async () => {
      const seen = newDone();
      const { client } = await start(seen, names());
      const answer = await client.tools.call('ask').then(textOf, ({ message }: Error) => message);
      const isAsked = isSince(caller, '2025-06-18');
      expect(answer).toContain(isAsked ? '["Ada","Bea"]' : 'does not support elicitation/create');
      expect(seen.effects).toEqual(['ask']);
    });

    it('is cancelled at the upstream when the call is cancelled', async () => {
      const seen = newDone();
      const { client } = await start(seen);
      const controller = new AbortController();
      const call = client.tools.call('slow', {}, { signal: controller.signal });
      await withTimeout(seen.begun.promise, 'the call');
      controller.abort();
      await expect(call).rejects.toMatchObject({ code: 'cancelled' });
      await withTimeout(seen.aborted.promise, 'the cancellation');
    });
  },
);

const taskCallers = behinds.flatMap((caller) => behinds.map((behind) => [caller, behind] as const));

describe.each(taskCallers)('A task of a caller at %s, of an upstream at %s', (caller, behind) => {
  const start = async (seen: Done, options: ConnectOptions = {}) => {
    const { gateway } = startGateway({ u: { server: upstream(seen), protocolVersions: [behind] } });
    const client = await openClient(gateway.server, { protocolVersions: [caller], ...options });
    // A server without sessions does not say which tools are tasks: the first call finds out.
    if (behind === exchangeVersion) for (const name of ['report', 'ask']) await client.tools.call(name);
    seen.effects.length = 0;
    return client;
  };

  it('has an ID, a status and a result of its own', async () => {
    const seen = newDone();
    const client = await start(seen, names());
    const ids: string[] = [];
    // A session that has begun before does not know of tasks.
    if (behind === exchangeVersion && caller !== exchangeVersion) return;
    if (behind === exchangeVersion) {
      seen.finish.resolve();
      await client.tools.call('slow');
      seen.effects.length = 0;
    }
    const call = client.tools.call('slow', {}, { task: true, onTask: ({ taskId }) => void ids.push(taskId) });
    await withTimeout(seen.begun.promise, 'the call');
    seen.finish.resolve();
    expect(textOf(await call)).toBe('slow');
    // A server that decides may answer at once.
    expect(ids.length).toBeGreaterThanOrEqual(caller === exchangeVersion ? 0 : 1);
    expect(seen.effects).toEqual(['slow']);
  });

  it('waits for the answers of its caller', async () => {
    const seen = newDone();
    const client = await start(seen, names());
    if (behind === exchangeVersion) return;
    expect(textOf(await client.tools.call('ask', {}, { task: true }))).toBe('["Ada","Bea"]');
    expect(seen.effects).toEqual(['ask']);
  });

  it('is cancelled at the upstream, too', async () => {
    const seen = newDone();
    const client = await start(seen, names());
    if (behind === exchangeVersion || caller === exchangeVersion) return;
    const created = deferred<string>();
    const call = client.tools.call('slow', {}, { task: true, onTask: ({ taskId }) => created.resolve(taskId) });
    call.catch(() => {});
    await withTimeout(seen.begun.promise, 'the call');
    await client.tasks.cancel(await created.promise);
    await withTimeout(seen.aborted.promise, 'the cancellation');
    await expect(call).rejects.toMatchObject({ code: 'task-cancelled' });
  });
});

describe('A task on a store that lasts', () => {
  const serveOn = async (file: string, url: string) => {
    const store = await openStore(`sqlite:${file}`, { encryption: { keys: ['k'.repeat(32)] } });
    const gateway = createGateway({
      upstreams: { u: { url, protocolVersions: [newestSession.id as ProtocolVersion] } },
      server: { secrets: ['s'.repeat(32)] },
      onWarning: () => {},
    });
    const service = await serveHttp(gateway.server, {
      port: 0,
      store,
      authenticate: ({ header }) => /^Bearer (.+)$/.exec(header('authorization') ?? '')?.[1] ?? { anonymous: true },
    });
    const close = async () => {
      await service.close();
      await gateway.close();
      await store.close();
    };
    onTestFinished(close);
    return { url: String(service.url), close };
  };
  const temporaryFile = (): string => {
    const folder = mkdtempSync(join(tmpdir(), 'tenon-gateway-tasks-'));
    onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
    return join(folder, 'gateway.db');
  };

  it('is continued by another gateway: the upstream has one task, and runs it once', async () => {
    const seen = newDone();
    const url = await served(upstream(seen));
    const file = temporaryFile();
    const first = await serveOn(file, url);
    const versions = { protocolVersions: [newestSession.id as ProtocolVersion] };
    const client = await openAs('ada', first.url, versions);
    const created = deferred<string>();
    const call = client.tools.call('slow', {}, { task: true, onTask: ({ taskId }) => created.resolve(taskId) });
    call.catch(() => {});
    await withTimeout(seen.begun.promise, 'the call');
    const taskId = await created.promise;
    const second = await serveOn(file, url);
    await first.close();
    const other = await openAs('ada', second.url, versions);
    const result = other.tasks.result(taskId);
    seen.finish.resolve();
    expect(textOf(await withTimeout(result, 'the result'))).toBe('slow');
    expect(seen.effects).toEqual(['slow']);
    // Another user has no such task.
    const bob = await openAs('bob', second.url, versions);
    await expect(bob.tasks.get(taskId)).rejects.toMatchObject({ code: 'task-not-found' });
  });

  it('fails if the upstream has lost its own, and is not begun again', async () => {
    const seen = newDone();
    const at = await serveHttp(upstream(seen), { port: 0 });
    const file = temporaryFile();
    const { url } = await serveOn(file, String(at.url));
    const client = await openAs('ada', url, { protocolVersions: [newestSession.id as ProtocolVersion] });
    const call = client.tools.call('slow', {}, { task: true });
    call.catch(() => {});
    await withTimeout(seen.begun.promise, 'the call');
    const { port } = new URL(at.url);
    await at.close();
    const again = newDone();
    const restarted = await serveHttp(upstream(again), { port: Number(port) });
    onTestFinished(() => restarted.close());
    await expect(withTimeout(call, 'the error', 20_000)).rejects.toMatchObject({ code: 'outcome-unknown' });
    await vi.waitFor(() => expect(again.effects).toEqual([]));
  });
});
