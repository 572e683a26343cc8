/** Servers that flood a host with forms, or a client with changes: what is shown and fetched is limited. */
import { connect, createServer, tool, toText } from 'tenon';
import { createHost, type Decision } from 'tenon/host';
import { createFakeClock } from 'tenon/test';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { withClock } from '../../../src/lib/time/internal-deadlines.ts';
import { scriptedServer } from '../../host/scripted-server.ts';
import { withFixed } from '../../kit/fixed-limits.ts';
import { inbox } from '../../kit/inbox.ts';
import { versionsFrom } from '../../kit/version-order.ts';

const eliciting = versionsFrom('2025-06-18');

describe.each(eliciting)('a server that sends 200 forms at %s', (revision) => {
  const forms = () =>
    createServer(
      {
        name: 'forms',
        version: '1.0.0',
        tools: {
          ask: tool({}, async (_, ctx) => {
            const answer = await ctx.elicit('name', { message: 'Your name?', schema: z.object({ name: z.string() }) });
            return answer.action;
          }),
        },
      },
      { secrets: ['a secret of sixteen and more'], onError: () => {} },
    );

  it('has 20 of them shown in a minute, and other servers have their own [S24, S30]', async () => {
    const clock = createFakeClock();
    const shown: string[] = [];
    const decisions: Decision[] = [];
    await using host = createHost({
      ...withClock(clock),
      servers: { flood: forms(), quiet: forms() },
      consent: 'allow-all',
      connectOptions: { protocolVersions: [revision] },
      elicit: ({ server }) => {
        shown.push(server);
        return { action: 'decline' };
      },
      onDecision: (decision) => decisions.push(decision),
    });
    const ask = (server: string): Promise<string> =>
      host.tools.call(`${server}__ask`).then(
        (result) => toText(result),
        () => 'failed',
      );
    for (let n = 0; n < 200; n++) await ask('flood');
    expect(shown).toHaveLength(20);
    expect(decisions.filter(({ type, by }) => type === 'elicit' && by === 'limit')).toHaveLength(180);
    expect(await ask('quiet')).toBe('decline');
    clock.advance(60_001);
    expect(await ask('flood')).toBe('decline');
  });
});

it('the limit on forms is an option, also by server', async () => {
  const shown: string[] = [];
  const server = scriptedServer((method) => (method === 'ping' ? {} : { tools: [] }));
  await using host = createHost({
    servers: { strict: server },
    elicitationLimits: (name) => ({ maxPerMinute: name === 'strict' ? 1 : 10 }),
    elicit: ({ message }) => {
      shown.push(message);
      return { action: 'decline' };
    },
  });
  await host.tools.list();
  const params = { message: 'Your name?', requestedSchema: { type: 'object', properties: {} } };
  for (let id = 1; id <= 3; id++) server.send({ id, method: 'elicitation/create', params });
  while (server.received.filter((text) => text.includes('This client allows 1 elicitations a minute')).length < 2)
    await new Promise((resolve) => setImmediate(resolve));
  expect(shown).toEqual(['Your name?']);
});

describe('a server that requests without end', () => {
  /** The answers to so many requests. */
  async function flooded(method: string, params: object, count: number) {
    const server = scriptedServer((name) => (name === 'ping' ? {} : { tools: [] }));
    const records: unknown[] = [];
    const asked: string[] = [];
    const add = (event: { readonly what?: object }): void => void records.push(event.what);
    await using host = createHost({
      servers: { flood: server },
      roots: [{ uri: 'file:///home' }],
      elicit: () => ({ action: 'decline' }),
      consent: {
        roots() {
          asked.push('roots');
          return 'deny' as const;
        },
      },
      audit: { begin: add, append: add },
    });
    await host.tools.list();
    const answered = (): number => server.received.filter((text) => /"id":"f\d+"/.test(text)).length;
    for (let id = 0; id < count; id++) {
      server.send({ id: `f${id}`, method, params });
      // A client has 100 open requests of a server at most.
      while (answered() < id - 50) await new Promise((resolve) => setImmediate(resolve));
    }
    while (answered() < count) await new Promise((resolve) => setImmediate(resolve));
    return { records, asked };
  }

  it('the roots has one question for the user at a time, 300 answers in a minute, and few records [S24]', async () => {
    const { records, asked } = await flooded('roots/list', {}, 1000);
    // Requests that come while the user is asked get that answer.
    expect(asked.length).toBeLessThan(300);
    expect(records.length).toBeLessThanOrEqual(asked.length + 2);
  });

  it('forms has few records of those over the limit, which have the number of the others [S24]', async () => {
    const form = { message: 'Your name?', requestedSchema: { type: 'object', properties: {} } };
    const { records } = await flooded('elicitation/create', form, 500);
    expect(records.length).toBeLessThanOrEqual(22);
  });
});

describe('a server that sends list_changed without end', () => {
  it('has its list fetched once an interval, and the last change is not lost [S24]', async () => {
    const clock = createFakeClock();
    let version = 0;
    const server = scriptedServer((method) =>
      method === 'ping' ? {} : { tools: [{ name: `v${version}`, inputSchema: { type: 'object' } }] },
    );
    const lists = (): number => server.received.filter((text) => text.includes('tools/list')).length;
    await using client = await connect(server, withClock(clock));
    const { put, next } = inbox<string | undefined>();
    const watcher = await client.tools.watchList(([first]) => put(first?.name));
    expect(await next()).toBe('v0');
    const change = async (): Promise<void> => {
      version++;
      server.send({ method: 'notifications/tools/list_changed' });
      await client.ping();
    };
    await change();
    expect(await next()).toBe('v1');
    for (let n = 0; n < 100; n++) await change();
    expect(lists()).toBe(2);
    clock.advance(500);
    expect(await next()).toBe('v101');
    await client.ping();
    clock.advance(10_000);
    await client.ping();
    expect(lists()).toBe(3);
    // A change after a quiet time is fetched at once.
    await change();
    expect(await next()).toBe('v102');
    await change();
    await watcher.close();
    clock.advance(10_000);
    await client.ping();
    expect(lists()).toBe(4);
  });

  it('waits as long as the option says', async () => {
    const clock = createFakeClock();
    let version = 0;
    const server = scriptedServer((method) =>
      method === 'ping' ? {} : { tools: [{ name: `v${version}`, inputSchema: { type: 'object' } }] },
    );
    await using client = await connect(server, {
      ...withClock(clock),
      timeouts: withFixed({}, { refreshIntervalMs: 60_000 }),
    });
    const { put, next } = inbox<string | undefined>();
    await client.tools.watchList(([first]) => put(first?.name));
    expect(await next()).toBe('v0');
    const lists = (): number => server.received.filter((text) => text.includes('tools/list')).length;
    const change = async (): Promise<void> => {
      version++;
      server.send({ method: 'notifications/tools/list_changed' });
      await client.ping();
    };
    await change();
    expect(await next()).toBe('v1');
    await change();
    clock.advance(59_000);
    await client.ping();
    expect(lists()).toBe(2);
    clock.advance(1000);
    expect(await next()).toBe('v2');
  });
});
