/** What was encrypted with a key that is no longer passed: it is gone by name, and the nodes go on. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openSqliteStore } from 'tenon/sqlite';
import { describe, expect, it, onTestFinished } from 'vitest';
import { request, startSession } from '../../../kit/http/messages.ts';
import { type Served, serve } from '../../../kit/http/sample-server.ts';
import { at } from './two-nodes.ts';

const revision = '2025-11-25';
const [older, newer] = ['an older secret of these tests, long enough', 'the newest secret of these tests, long'];
const secrets = ['a secret that both of them know'];

/** Nodes on one file, each with the keys it is given. */
function nodesOnFile(): (keys: readonly string[]) => Promise<Served> {
  const folder = mkdtempSync(join(tmpdir(), 'tenon-rotated-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return async (keys) => {
    const store = await openSqliteStore(join(folder, 'store.db'), { encryption: { keys } });
    onTestFinished(() => store.close());
    return serve({ store }, { secrets });
  };
}

describe('after an old key of an encrypted store was removed', () => {
  it('[S20] changes reach the listeners of other nodes', async () => {
    const node = nodesOnFile();
    const before = await node([older]);
    const early = await startSession(before.url, revision);
    await early.post(request('resources/subscribe', { uri: 'note://one' }));
    const first = await early.listen();
    before.server.sendResourceUpdated('note://one');
    await first.until(() => first.messages().length > 0, 'a change with the old key');
    first.cut();
    await before.close();
    await (await node([newer, older])).close();

    const [a, b] = [await node([newer]), await node([newer])];
    const session = await startSession(a.url, revision);
    await session.post(request('resources/subscribe', { uri: 'note://one' }));
    const stream = await session.listen();
    b.server.sendResourceUpdated('note://one');
    await stream.until(() => stream.messages().length > 0, 'a change of the other node');
    expect(stream.messages()[0]).toMatchObject({ method: 'notifications/resources/updated' });
    stream.cut();
  });

  it('[S20] its sessions are gone, so that clients begin new ones, with a warning that names the cause', async () => {
    const node = nodesOnFile();
    const before = await node([older]);
    const session = await startSession(before.url, revision);
    await before.close();
    await (await node([newer, older])).close();

    const after = await node([newer]);
    expect((await at(after, session).post(request('ping'))).status).toBe(404);
    expect(after.warnings).toContainEqual(expect.objectContaining({ code: 'store-key-missing' }));
  });
});
