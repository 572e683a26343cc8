/** A principal that is revoked: its tasks end, at every node that shares the store, and those of others go on. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createServer, type ServeHttpOptions, serveHttp, tool } from 'tenon';
import { openSqliteStore } from 'tenon/sqlite';
import { createMemoryStore, type Store } from 'tenon/store';
import { describe, expect, it, onTestFinished } from 'vitest';
import { z } from 'zod';
import { deferred } from '../../kit/deferred.ts';
import { lone, loneCall } from '../../kit/http/messages.ts';
import { type Json, send } from '../../kit/http/raw-http.ts';
import { withTimeout } from '../../kit/with-timeout.ts';

const follows = {
  'io.modelcontextprotocol/clientCapabilities': {
    elicitation: { form: {} },
    extensions: { 'io.modelcontextprotocol/tasks': {} },
  },
};

async function openFile(): Promise<Store> {
  const folder = mkdtempSync(join(tmpdir(), 'tenon-revoked-'));
  const store = await openSqliteStore(join(folder, 'store.db'), { durability: 'process' });
  onTestFinished(async () => {
    await store.close();
    rmSync(folder, { recursive: true, force: true });
  });
  return store;
}

/** A node with a task that runs until it is aborted, and one that waits for its user. */
async function startNode(store: Store) {
  const aborted = { ann: deferred(), bob: deferred() };
  const running = { ann: deferred(), bob: deferred() };
  const task = { support: 'required', answerWithinMs: 0 } as const;
  const server = createServer(
    {
      name: 'shop',
      version: '1',
      tools: {
        held: tool({ task }, async (_given, { caller, signal }) => {
          const name = caller.principal?.subject as 'ann' | 'bob';
          const { promise, resolve } = deferred();
          signal.addEventListener('abort', () => resolve());
          running[name].resolve();
          await promise;
          aborted[name].resolve();
          return 'aborted';
        }),
        form: tool({ task }, async (_given, ctx) => {
          await ctx.elicit('name', { message: 'Name?', schema: z.object({ name: z.string() }) });
          return 'done';
        }),
      },
    },
    { secrets: ['at least sixteen characters'] },
  );
  const authenticate: ServeHttpOptions['authenticate'] = ({ header }) => header('authorization')?.slice(7);
  const service = await serveHttp(server, { port: 0, authenticate, store, timeouts: { shutdownMs: 100 } });
  onTestFinished(() => service.close());
  async function ask(token: string, message: ReturnType<typeof lone>, name?: string): Promise<Json> {
    const headers = { ...message.headers, authorization: `Bearer ${token}`, ...(name && { 'mcp-name': name }) };
    return ((await send(service.url, { ...message, headers })).json as { result: Json }).result;
  }
  const call = async (token: string, name: string): Promise<string> =>
    String((await ask(token, loneCall(name, {}, follows))).taskId);
  const statusOf = async (token: string, taskId: string): Promise<unknown> =>
    (await ask(token, lone('tasks/get', { taskId }, follows), taskId)).status;
  async function until(status: string, token: string, taskId: string): Promise<void> {
    while ((await statusOf(token, taskId)) !== status) await new Promise((resolve) => setImmediate(resolve));
  }
  return { service, call, statusOf, until, aborted, running };
}

describe.each([
  ['memory', async () => createMemoryStore()],
  ['a SQLite file', openFile],
] as const)('a principal that is revoked, with nodes that share %s', (_name, open) => {
  it('has its tasks ended wherever they run or wait, and others go on [S24, S36]', async () => {
    const store = await open();
    const [one, other] = [await startNode(store), await startNode(store)];
    const of = async (token: 'ann' | 'bob') => {
      const held = await one.call(token, 'held');
      const form = await other.call(token, 'form');
      await withTimeout(
        Promise.race([one.running[token].promise, other.running[token].promise]),
        `the task of ${token}`,
      );
      await withTimeout(other.until('input_required', token, form), `the form of ${token}`);
      return { held, form };
    };
    const [ann, bob] = [await of('ann'), await of('bob')];
    other.service.revoke('ann');
    await withTimeout(Promise.race([one.aborted.ann.promise, other.aborted.ann.promise]), 'the end of the run');
    for (const node of [one, other])
      for (const id of [ann.held, ann.form]) await withTimeout(node.until('cancelled', 'ann', id), 'cancelled');
    expect([await one.statusOf('bob', bob.held), await one.statusOf('bob', bob.form)]).toEqual([
      'working',
      'input_required',
    ]);
  });
});
