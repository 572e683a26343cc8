/** Random calls of two users through one gateway: nothing of one of them reaches the other, whatever runs at once. */
import * as fc from 'fast-check';
import { createServer, type ProtocolVersion, RpcError, type Server, tool } from 'tenon';
import { expect, it } from 'vitest';
import { z } from 'zod';
import { newestSession } from '../../src/protocol/revisions/revisions.ts';
import { scaled } from '../kit/long.ts';
import { exchangeVersion } from '../kit/version-order.ts';
import { openAs, served, startGateway, upstreamPer } from './start.ts';

const users = ['ada', 'bob'] as const;
const versions = [newestSession.id as ProtocolVersion, exchangeVersion];

/** Each user has a secret that every message of theirs has. */
const secretOf = (user: string): string => `secret-of-${user}`;

/** Its tools send what they got back to the caller in every way that there is. */
const mirror = (): Server =>
  createServer({
    name: 'mirror',
    version: '1.0.0',
    tools: {
      say: tool({ inputSchema: z.object({ text: z.string() }) }, ({ text }, ctx) => {
        ctx.reportProgress(1, 2, text);
        ctx.log('error', text);
        return text;
      }),
      fail: tool({ inputSchema: z.object({ text: z.string() }) }, ({ text }) => {
        throw new RpcError(1001, text, { text });
      }),
      ask: tool({ inputSchema: z.object({ text: z.string() }) }, async ({ text }, ctx) => {
        const { content } = (await ctx.elicit('q', {
          message: text,
          schema: z.object({ name: z.string() }),
        })) as never as {
          content: { name: string };
        };
        return `${text} ${content.name}`;
      }),
      once: tool({ inputSchema: z.object({ text: z.string() }) }, ({ text }) => text),
    },
  }) as Server;

const calls = fc.array(
  fc.record({
    user: fc.constantFrom(...users),
    version: fc.constantFrom(...versions),
    tool: fc.constantFrom('say', 'fail', 'ask', 'once'),
    /** Calls of one wave run at once. */
    wave: fc.integer({ min: 0, max: 2 }),
  }),
  { minLength: 2, maxLength: 12 },
);

it('no message, result, error, question or repeat of one user reaches the other', async () => {
  const runs = fc.asyncProperty(calls, fc.constantFrom(...versions), async (planned, upstreamVersion) => {
    const upstream = upstreamPer(mirror);
    const { gateway } = startGateway({ one: { ...upstream.options, protocolVersions: [upstreamVersion] } });
    const url = await served(gateway.server);
    const seen: Record<string, unknown[]> = { ada: [], bob: [] };
    const clients = new Map<string, Awaited<ReturnType<typeof openAs>>>();
    for (const user of users)
      for (const version of versions) {
        const own = seen[user] as unknown[];
        const client = await openAs(user, url, {
          protocolVersions: [version],
          onLog: (entry) => void own.push(entry),
          handlers: {
            elicitForm: (request) => {
              own.push(request);
              return { action: 'accept', content: { name: secretOf(user) } };
            },
          },
        });
        clients.set(`${user} ${version}`, client);
      }
    for (const wave of [0, 1, 2])
      await Promise.all(
        planned
          .filter((one) => one.wave === wave)
          .map(async ({ user, version, tool: name }) => {
            const own = seen[user] as unknown[];
            const result = await clients
              .get(`${user} ${version}`)
              ?.tools.call(
                name,
                { text: secretOf(user) },
                {
                  onProgress: (update: unknown) => void own.push(update),
                  // Equal keys of two users are two calls.
                  ...(name === 'once' && { idempotencyKey: 'the same key' }),
                  ...(version === exchangeVersion && { logLevel: 'debug' as const }),
                },
              )
              .catch(({ message, data }) => ({ message, data }));
            own.push(result);
          }),
      );
    const [ada, bob] = users.map((user) => JSON.stringify(seen[user]));
    expect(ada).not.toContain(secretOf('bob'));
    expect(bob).not.toContain(secretOf('ada'));
    // No two users share a connection.
    const used = new Set(planned.map(({ user }) => user)).size;
    expect(upstream.opened()).toBeGreaterThanOrEqual(used);
    await Promise.all([...clients.values()].map((client) => client.close()));
    await gateway.close();
  });
  await fc.assert(runs, { numRuns: scaled(8, 300), seed: 7 });
});
