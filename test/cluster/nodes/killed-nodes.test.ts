/** Nodes as processes that share a store: one is killed, or stopped and woken, in the middle of a call. */
import { connect } from 'tenon';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { call, type RawSession, request, sessionAt, startSession } from '../../kit/http/messages.ts';
import { enginesHere, type StartedEngine } from '../../kit/stores/engines.ts';
import type { StoreAddress } from '../../kit/stores/open-at.ts';
import { withTimeout } from '../../kit/with-timeout.ts';
import { startBalancer } from '../../server/http/session/balancer.ts';
import { type NodeProcess, startNode } from './node-processes.ts';

const revision = '2025-11-25';
const lost = { id: 7, error: { code: -32603, data: { outcome: 'unknown' } } };

/** A call that runs at a, resumed at b. */
async function resumedCall(store: StoreAddress) {
  const [a, b] = await Promise.all([startNode(store), startNode(store)]);
  const session = await startSession(a.url, revision);
  const first = await session.open({ body: call('wait', {}, 7, { progressToken: 'mine' }) });
  await first.until(() => first.messages().length >= 1, 'the progress');
  const last = first.events().at(-1)?.id;
  first.cut();
  const stream = await sessionAt(b.url, session).listen(last);
  expect(stream.status).toBe(200);
  return { a, b, session, stream, last };
}

describe.each(enginesHere)('nodes that share %s', (_label, engine) => {
  let started: StartedEngine;
  beforeAll(async () => {
    started = await engine.start();
  });
  afterAll(() => started.close());

  it('close the streams of one that was killed, and go on with its sessions [S20, S31]', async () => {
    const { a, b, session, stream } = await resumedCall(started.next());
    a.signal('SIGKILL');
    expect(await withTimeout(stream.ended, 'the end of the stream')).toBe(true);
    expect(stream.messages()).toMatchObject([lost]);
    expect((await sessionAt(b.url, session).post(request('ping'))).status).toBe(200);
  });

  it('close the streams of one that was stopped, which writes nothing on them when it wakes [S20, S31]', async () => {
    const { a, b, session, stream, last } = await resumedCall(started.next());
    a.stop();
    expect(await withTimeout(stream.ended, 'the end of the stream')).toBe(true);
    expect(stream.messages()).toMatchObject([lost]);
    a.signal('SIGCONT');
    const dropped = { warning: 'outcome-unknown', details: { requestIds: [7] } };
    await expect.poll(() => a.warnings).toContainEqual(expect.objectContaining(dropped));
    for (const node of [a, b]) expect(await rest(node, session, last)).toMatchObject([lost]);
  });

  it('let a client of one that was killed fail with outcome-unknown [S20, S31]', async () => {
    const store = started.next();
    const [a, b] = await Promise.all([startNode(store), startNode(store)]);
    const balancer = await startBalancer(a.url, b.url);
    balancer.targets = [a.url];
    const client = await connect(balancer.url, { protocolVersions: [revision] });
    let isRunning = (): void => {};
    const running = new Promise<void>((resolve) => void (isRunning = resolve));
    const failed = client.tools.call('wait', {}, { onProgress: isRunning }).catch((error: unknown) => error);
    await withTimeout(running, 'the progress');
    balancer.targets = [b.url];
    a.signal('SIGKILL');
    expect(await withTimeout(failed, 'the call to fail')).toMatchObject({ code: 'outcome-unknown' });
    await client.ping();
    await client.close();
  });
});

/** The messages after an event, of a stream that has ended. */
async function rest({ url }: NodeProcess, session: RawSession, last: string | undefined) {
  const stream = await sessionAt(url, session).listen(last);
  await withTimeout(stream.ended, 'the end of the stream');
  return stream.messages();
}
