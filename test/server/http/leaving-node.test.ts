/** A node behind a balancer that closes: it accepts no more connections, and answers what still comes on those that it has. */
import { mkdtempSync, rmSync } from 'node:fs';
import { Agent, type IncomingHttpHeaders, request as sendRequest } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { connect, createServer, serveHttp, tool, toText } from 'tenon';
import { expect, it, onTestFinished } from 'vitest';
import { deferred } from '../../kit/deferred.ts';
import { startBalancer } from './session/balancer.ts';

interface Answer {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly body: unknown;
}

/** Sends a call on the one connection of the agent. */
const postOn = (agent: Agent, url: string): Promise<Answer> =>
  new Promise((resolve, reject) => {
    const headers = { 'content-type': 'application/json', accept: 'application/json, text/event-stream' };
    const sent = sendRequest(url, { method: 'POST', agent, headers }, (response) => {
      let text = '';
      response.on('data', (chunk: Buffer) => void (text += chunk.toString()));
      response.on('end', () =>
        resolve({ status: response.statusCode ?? 0, headers: response.headers, body: JSON.parse(text) }),
      );
    });
    sent.on('error', reject);
    sent.end(JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'ping' }));
  });

async function startNode(store: string, name: string, wait?: Promise<void>) {
  const entered = deferred();
  const server = createServer(
    {
      name: 'node',
      version: '1.0.0',
      tools: {
        where: tool({}, () => name),
        wait: tool({}, async () => {
          entered.resolve();
          await wait;
          return name;
        }),
      },
    },
    { secrets: ['a secret that both of them know'] },
  );
  const service = await serveHttp(server, {
    port: 0,
    store,
    trustedProxies: ['127.0.0.1'],
    timeouts: { shutdownMs: 20_000 },
  });
  onTestFinished(() => service.close());
  return { ...service, entered: entered.promise };
}

function newFile(): string {
  const folder = mkdtempSync(join(tmpdir(), 'tenon-leaving-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return `sqlite:${join(folder, 'tenon.db')}`;
}

it('refuses connections, and answers on open ones that a call was not started and the connection closes [S20, S31]', async () => {
  const release = deferred();
  const node = await startNode(newFile(), 'a', release.promise);
  const client = await connect(node.url, { reconnect: false });
  const running = client.tools.call('wait');
  await node.entered;
  const held = new Agent({ keepAlive: true, maxSockets: 1 });
  onTestFinished(() => held.destroy());
  expect((await postOn(held, node.url)).headers.connection).toBe('keep-alive');
  const closed = node.close();
  const arrives = (): Promise<unknown> =>
    postOn(new Agent(), node.url).then(
      () => 'answered',
      ({ code }: NodeJS.ErrnoException) => code,
    );
  await expect.poll(arrives, { timeout: 10_000 }).toBe('ECONNREFUSED');
  const answer = await postOn(held, node.url);
  expect(answer).toMatchObject({ status: 503, headers: { connection: 'close', 'retry-after': '1' } });
  expect(answer.body).toMatchObject({ error: { data: { outcome: 'not-started' } } });
  release.resolve();
  expect(toText(await running)).toBe('a');
  await client.close();
  await closed;
});

it('a call that it refuses is sent again by the client, and served by another node [S20, S31]', async () => {
  const store = newFile();
  const [a, b] = [await startNode(store, 'a'), await startNode(store, 'b')];
  const balancer = await startBalancer(a.url, b.url);
  balancer.targets = [a.url];
  const client = await connect(balancer.url);
  expect(toText(await client.tools.call('where'))).toBe('a');
  const closed = a.close();
  const call = client.tools.call('where');
  balancer.targets = [b.url];
  expect(toText(await call)).toMatch(/^[ab]$/);
  expect(toText(await client.tools.call('where'))).toBe('b');
  await client.close();
  await closed;
});
