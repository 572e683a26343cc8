/** What a node leaves behind when it dies: another one closes its streams and notifies its sessions. */
import { describe, expect, it } from 'vitest';
import { call, type RawSession, request, resumableRevisions, startSession } from '../../../kit/http/messages.ts';
import type { OpenResponse } from '../../../kit/http/raw-http.ts';
import { withTimeout } from '../../../kit/with-timeout.ts';
import { deadNodeMs, type MortalNode, type MortalNodes, mortalNodes } from './mortal-nodes.ts';
import { at } from './two-nodes.ts';

const revision = '2025-11-25';

interface RunningCall extends MortalNodes {
  readonly a: MortalNode;
  readonly b: MortalNode;
  readonly session: RawSession;
  /** The id of the last event read at a. */
  readonly last: string | undefined;
}

/** A call that runs at a, and whose client has disconnected from there. */
async function runningCall(version: string = revision): Promise<RunningCall> {
  const nodes = mortalNodes();
  const [a, b] = [await nodes.node(), await nodes.node()];
  const session = await startSession(a.url, version);
  // b is known to live, and has reported for long enough to decide about others.
  expect((await at(b, session).post(request('ping'))).status).toBe(200);
  await nodes.pass(deadNodeMs * 2);
  const first = await session.open({ body: call('wait', {}, 7, { progressToken: 'mine' }) });
  await first.until(() => first.messages().length >= 1, 'the progress');
  const last = first.events().at(-1)?.id;
  first.cut();
  return { ...nodes, a, b, session, last };
}

const lost = { id: 7, error: { code: -32603, message: expect.any(String), data: { outcome: 'unknown' } } };

const ended = (stream: OpenResponse): Promise<boolean> => withTimeout(stream.ended, 'the end of the stream');

describe.each(resumableRevisions)('the stream of a call whose node dies, at %s', (version) => {
  it('ends at another node that reads it, with the error that the outcome of the call is unknown [S20, S31]', async () => {
    const { a, b, session, last, passUntil } = await runningCall(version);
    const stream = await at(b, session).listen(last);
    expect(stream.status).toBe(200);
    a.pause();
    expect(await passUntil(ended(stream))).toBe(true);
    expect(stream.messages()).toMatchObject([lost]);
    expect((await at(b, session).listen(stream.events().at(-1)?.id)).status).toBe(204);
    expect(b.warnings).toEqual([]);
  });

  it('ends likewise for a client that resumes it after the death [S20, S31]', async () => {
    const { a, b, session, last, pass, passUntil } = await runningCall(version);
    a.pause();
    await pass(deadNodeMs * 3);
    const stream = await at(b, session).listen(last);
    expect(await passUntil(ended(stream))).toBe(true);
    expect(stream.messages()).toMatchObject([lost]);
  });
});

it('of a batch, the requests that were not answered get the error [S20, S31]', async () => {
  const nodes = mortalNodes();
  const [a, b] = [await nodes.node(), await nodes.node()];
  const session = await startSession(a.url, '2025-03-26');
  expect((await at(b, session).post(request('ping'))).status).toBe(200);
  await nodes.pass(deadNodeMs * 2);
  const ids = [7, 'eight', 9];
  const [wait, ...others] = ids.map((id) => call(id === 7 ? 'wait' : 'count', { to: 0 }, id, { progressToken: id }));
  const first = await session.open({ body: [...others, wait] });
  await first.until(() => first.messages().length >= 3, 'the progress and two results');
  const last = first.events().at(0)?.id;
  first.cut();
  const stream = await at(b, session).listen(last);
  a.pause();
  expect(await nodes.passUntil(ended(stream))).toBe(true);
  expect(stream.messages().filter(({ error }) => error !== undefined)).toMatchObject([lost]);
});

it('a result that the store did not take at first reaches a client at another node later [S20, S31]', async () => {
  const { a, b, session, last, pass, passUntil } = await runningCall();
  const stream = await at(b, session).listen(last);
  await pass(deadNodeMs / 3);
  a.connected = false;
  a.release();
  await pass(deadNodeMs / 3);
  a.connected = true;
  expect(await passUntil(ended(stream))).toBe(true);
  expect(stream.messages().at(-1)).toMatchObject({ id: 7, result: {} });
});

describe('a node that was taken for dead and wakes', () => {
  it('sends nothing more of a call that was closed for it, and reports its outcome by a warning [S20, S31]', async () => {
    const { a, b, session, last, pass, passUntil } = await runningCall();
    const stream = await at(b, session).listen(last);
    a.pause();
    await passUntil(ended(stream));
    a.release();
    a.wake();
    await pass(deadNodeMs);
    const dropped = a.warnings.filter((warning) => 'code' in warning && warning.code === 'outcome-unknown');
    expect(dropped).toMatchObject([{ details: { requestIds: [7] } }]);
    const again = await at(a, session).listen(last);
    expect(await ended(again)).toBe(true);
    expect(again.messages()).toMatchObject([lost]);
  });

  it('goes on to notify the client that listens there [S20, S31]', async () => {
    const { node, pass } = mortalNodes();
    const [a, b] = [await node(), await node()];
    const session = await startSession(a.url, revision);
    expect((await at(b, session).post(request('resources/subscribe', { uri: 'note://one' }))).status).toBe(200);
    const stream = await session.listen();
    await pass(deadNodeMs * 2);
    a.pause();
    await pass(deadNodeMs * 3);
    b.server.sendResourceUpdated('note://one');
    await pass(deadNodeMs / 3);
    a.wake();
    await stream.until(() => stream.messages().length > 0, 'the change while it was paused');
    await pass(deadNodeMs);
    const before = stream.messages().length;
    b.server.sendResourceUpdated('note://one');
    await stream.until(() => stream.messages().length > before, 'a later change');
    stream.cut();
  });

  it('serves calls as before [S20]', async () => {
    const { a, b, session, last, pass, passUntil } = await runningCall();
    const stream = await at(b, session).listen(last);
    a.pause();
    await passUntil(ended(stream));
    a.wake();
    await pass(deadNodeMs * 3);
    const { json } = await session.post(call('echo', { text: 'back' }, 8));
    expect(json).toMatchObject({ id: 8, result: { content: [{ text: 'back' }] } });
  });
});

describe('a node is not taken for dead', () => {
  it('while it reports, however long its calls take [S20]', async () => {
    const { a, b, session, last, pass } = await runningCall();
    const stream = await at(b, session).listen(last);
    await pass(deadNodeMs * 10);
    a.release();
    expect(await ended(stream)).toBe(true);
    expect(stream.messages()).toMatchObject([{ params: { progress: 2 } }, { id: 7, result: {} }]);
  });

  it('by another one whose store was away for longer [S20]', async () => {
    const { a, b, session, last, pass, store } = await runningCall();
    const stream = await at(b, session).listen(last);
    for (const one of [a, b]) one.connected = false;
    await pass(deadNodeMs * 4);
    expect(await store.nodes.beat('test', 1)).toEqual(['test']);
    b.connected = true;
    await pass(deadNodeMs / 3);
    a.connected = true;
    await pass(deadNodeMs * 4);
    a.release();
    expect(await ended(stream)).toBe(true);
    expect(stream.messages().at(-1)).toMatchObject({ id: 7, result: {} });
  });

  it('by one that has only just begun to report [S20]', async () => {
    const { a, session, last, node, pass, passUntil } = await runningCall();
    a.connected = false;
    await pass(deadNodeMs * 2);
    const c = await node();
    const stream = await at(c, session).listen(last);
    await pass(deadNodeMs * 0.9);
    expect(stream.messages()).toEqual([]);
    expect(await passUntil(ended(stream))).toBe(true);
    expect(stream.messages()).toMatchObject([lost]);
  });
});

it('a session is notified of changes by another node once the one that did so is dead [S20, S31]', async () => {
  const { a, b, session, pass } = await runningCall();
  a.pause();
  await pass(deadNodeMs * 3);
  b.server.update((draft) => {
    delete draft.tools.echo;
  });
  const stream = await at(b, session).listen();
  await stream.until(() => stream.messages().length >= 1, 'the change');
  expect(stream.messages()).toMatchObject([{ method: 'notifications/tools/list_changed' }]);
  stream.cut();
});
