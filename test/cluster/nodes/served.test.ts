/** A server whose sessions are in a real Redis or PostgreSQL that stops, hangs and comes back: named errors within a bound, and no restart. */
import { createServer, serveHttp, tool } from 'tenon';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { z } from 'zod';
import {
  call,
  initialize,
  loneCall,
  type RawSession,
  request,
  sessionAt,
  startSession,
} from '../../kit/http/messages.ts';
import { send } from '../../kit/http/raw-http.ts';
import { type Engine, enginesWithServers, type StoreServer } from '../../kit/stores/engines.ts';

/** Two nodes on one database that stores everything it acknowledges. */
async function startOn(engine: Engine) {
  const { server, close } = await engine.start();
  onTestFinished(close);
  const database = server as StoreServer;
  const warnings: Error[] = [];
  const node = async () => {
    const echo = tool({ inputSchema: z.object({ text: z.string() }) }, ({ text }) => text);
    const server = createServer(
      { name: 'stored', version: '1', tools: { echo } },
      { secrets: ['a secret of both nodes'] },
    );
    const service = await serveHttp(server, {
      port: 0,
      store: database.url,
      timeouts: { storeMs: 1000, shutdownMs: 0 },
      onWarning: (error) => void warnings.push(error),
    });
    onTestFinished(() => service.close());
    return service;
  };
  return { database, warnings, a: await node(), b: await node() };
}

const echoed = async (session: RawSession): Promise<boolean> => {
  const { status, text } = await session.post(call('echo', { text: 'here' }));
  return status === 200 && text.includes('here');
};
const hasSessions = { interval: 100 };

/** On a busy machine the database may take longer than the store may. */
const newSession = (url: string): Promise<RawSession> =>
  vi.waitFor(async () => {
    const session = await startSession(url, '2025-11-25');
    expect(await echoed(session)).toBe(true);
    return session;
  });

describe.each(enginesWithServers)('[S20] [S33] a server with a store in %s', (_label, engine) => {
  const started = () => startOn(engine);

  it('serves calls without a session while it is away, refuses sessions with 503, and serves the same sessions when it is back', async () => {
    const { database, warnings, a, b } = await started();
    const session = await newSession(a.url);
    await database.kill();
    expect(await send(b.url, loneCall('echo', { text: 'alone' }))).toMatchObject({ status: 200 });
    const refused = [
      await send(a.url, { body: initialize('2025-11-25') }),
      await sessionAt(b.url, session).post(request('ping')),
    ];
    expect(refused).toMatchObject([
      { status: 503, headers: { 'retry-after': '1' } },
      { status: 503, headers: { 'retry-after': '1' } },
    ]);
    expect(warnings.length).toBeGreaterThan(0);
    const named = { code: expect.stringMatching(/^store-(failed|timeout)$/) };
    for (const warning of warnings) expect(warning).toMatchObject(named);
    await database.start();
    await vi.waitUntil(() => echoed(sessionAt(b.url, session)), hasSessions);
    await vi.waitUntil(async () => (await send(a.url, { body: initialize('2025-11-25') })).status === 200, hasSessions);
    await vi.waitUntil(() => echoed(session), hasSessions);
  });

  it('does the same while it hangs, within timeouts.storeMs', async () => {
    const { database, warnings, a, b } = await started();
    const session = await newSession(a.url);
    database.pause();
    expect(await send(b.url, loneCall('echo', { text: 'alone' }))).toMatchObject({ status: 200 });
    expect(await send(a.url, { body: initialize('2025-11-25') })).toMatchObject({ status: 503 });
    expect(await sessionAt(b.url, session).post(request('ping'))).toMatchObject({ status: 503 });
    expect(warnings).toEqual(expect.arrayContaining([expect.objectContaining({ code: 'store-timeout' })]));
    database.resume();
    await vi.waitUntil(() => echoed(sessionAt(b.url, session)), hasSessions);
  });

  it('can be closed while it hangs', async () => {
    const { database, a } = await started();
    await newSession(a.url);
    database.pause();
    await a.close();
    await expect(fetch(a.url)).rejects.toThrow('fetch failed');
    database.resume();
  });
});
