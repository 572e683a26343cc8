/** Floods of answers for another node: they wait in the shared store, which they must not fill. */
import { createServer, serveHttp, tool } from 'tenon';
import { expect, it, onTestFinished } from 'vitest';
import { asyncStore } from '../../kit/async-store.ts';
import { withFixed } from '../../kit/fixed-limits.ts';
import { type RawSession, startSession } from '../../kit/http/messages.ts';

/** The address of a node that does not exist: no node takes its answers. */
const answer = (n: number, chars: number) => ({
  jsonrpc: '2.0',
  id: `nowhere0-1-${n}`,
  result: { text: 'x'.repeat(chars) },
});

async function start(maxTotalReceivedBytes: number) {
  const store = asyncStore();
  const server = createServer(
    { name: 's', version: '1', tools: { hello: tool({}, () => 'hi') } },
    { secrets: ['a secret of the nodes'] },
  );
  const service = await serveHttp(server, {
    port: 0,
    store,
    limits: withFixed({}, { maxTotalReceivedBytes }),
  });
  onTestFinished(() => service.close());
  /** The answers in the record of a session. */
  async function stored({ id }: RawSession): Promise<readonly string[]> {
    const fields = (await store.sessions.read(id.slice(0, 16))) ?? {};
    return Object.entries(fields).flatMap(([name, text]) => (name.startsWith('answer ') ? [text] : []));
  }
  return { open: () => startSession(service.url, '2025-03-26'), stored };
}

const charsOf = (texts: readonly string[]): number => texts.reduce((sum, { length }) => sum + length, 0);

it('sent at once is bounded in number, like one that is sent in turn [S24, S36]', async () => {
  const { open, stored } = await start(1e9);
  const session = await open();
  const statuses = await Promise.all(
    Array.from({ length: 100 }, async (_, n) => (await session.post(answer(n, 10))).status),
  );
  expect(await stored(session)).toHaveLength(64);
  expect(statuses.filter((status) => status === 503)).toHaveLength(36);
});

it('in one batch is bounded as well [S24, S36]', async () => {
  const { open, stored } = await start(1e9);
  const session = await open();
  await session.post(Array.from({ length: 100 }, (_, n) => answer(n, 10)));
  expect(await stored(session)).toHaveLength(64);
});

it('sent at once is bounded in characters [S24, S36]', async () => {
  const { open, stored } = await start(1e9);
  const session = await open();
  await Promise.all(Array.from({ length: 30 }, (_, n) => session.post(answer(n, 1_000_000))));
  expect(charsOf(await stored(session))).toBeLessThan(8 * 1024 * 1024);
});

it('in many sessions counts for its caller, as all that sessions hold [S24, S36]', async () => {
  const { open, stored } = await start(1_000_000);
  const sessions: RawSession[] = [];
  for (let n = 0; n < 20; n++) {
    const session = await open();
    sessions.push(session);
    for (let at = 0; at < 5; at++) await session.post(answer(at, 20_000));
  }
  const all = (await Promise.all(sessions.map(stored))).flat();
  expect(charsOf(all)).toBeLessThan(1_000_000);
  expect(all.length).toBeGreaterThan(0);
});
