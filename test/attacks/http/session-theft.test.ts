/** Sessions that an attacker chooses for others, takes from them, or fills with messages about theirs. */
import { describe, expect, it } from 'vitest';
import { call, initialize, notification, request, startSession } from '../../kit/http/messages.ts';
import { type OpenResponse, open, send } from '../../kit/http/raw-http.ts';
import { serve } from '../../kit/http/sample-server.ts';
import { sessionVersions } from '../../kit/version-order.ts';

const bearer = (who: string) => ({ authorization: `Bearer ${who}` });
const withPrincipals = {
  authenticate: ({ header }: { header(name: string): string | undefined }) => header('authorization')?.slice(7),
};
const newest = String(sessionVersions.at(-1));

describe('a session', () => {
  it('has an ID that its client did not choose, also if it sends one with its handshake [S24, S36]', async () => {
    const { url } = await serve(withPrincipals);
    const eve = await startSession(url, newest, { headers: bearer('eve') });
    for (const chosen of ['chosen', eve.id]) {
      const headers = { ...bearer('ann'), 'mcp-session-id': chosen };
      const { headers: given } = await send(url, { headers, body: initialize(newest) });
      expect(given['mcp-session-id']).not.toBe(chosen);
      expect((await send(url, { headers, body: request('ping') })).status).toBe(404);
    }
    expect((await eve.post(request('ping'))).status).toBe(200);
  });

  it('runs what its owner sends, whatever others cancel, answer or repeat in batches of theirs [S24, S36]', async () => {
    const { url, waits, release } = await serve(withPrincipals);
    const ann = await startSession(url, '2025-03-26', { headers: bearer('ann') });
    const running = await ann.open({ body: call('wait', {}, 7, { progressToken: 1 }) });
    await waits;
    const eve = await startSession(url, '2025-03-26', { headers: bearer('eve') });
    const others = [7, '7', 'hello', 1, 0].flatMap((requestId) => [
      notification('notifications/cancelled', { requestId }),
      { jsonrpc: '2.0', id: requestId, result: {} },
      notification('notifications/progress', { progressToken: requestId, progress: 1 }),
    ]);
    for (const headers of [undefined, { 'mcp-session-id': ann.id }]) {
      const { status } = await eve.post(others, headers);
      expect(status).toBe(headers === undefined ? 202 : 404);
    }
    const same = await eve.post([
      call('echo', { text: 'one' }, 7),
      call('echo', { text: 'two' }, 7),
      request('ping', {}, 8),
    ]);
    expect([same.text.includes('one'), same.text.includes('waited')]).toEqual([true, false]);
    release();
    await running.until(() => running.text().includes('waited'), 'the result');
    expect(running.messages().at(-1)).toMatchObject({ id: 7 });
  });

  it('of one caller is not ended, read or resumed by another, at any version [S24, S36]', async () => {
    const { url } = await serve(withPrincipals);
    for (const revision of sessionVersions.slice(1)) {
      const ann = await startSession(url, revision, { headers: bearer('ann') });
      const first = await ann.open({ body: call('count', { to: 2 }, 1, { progressToken: 1 }) });
      await first.ended;
      const last = first.events()[0]?.id;
      for (const who of ['eve', 'Ann', 'ANN']) {
        const headers = { ...ann.headers, ...bearer(who), accept: 'application/json, text/event-stream' };
        for (const method of ['GET', 'DELETE'])
          expect((await send(url, { method, headers: { ...headers, 'last-event-id': last } })).status).toBe(404);
        expect((await send(url, { headers, body: request('ping') })).status).toBe(404);
      }
      expect((await ann.post(request('ping'))).status).toBe(200);
      const resumed = await ann.listen(last);
      await resumed.until(() => resumed.text().includes('counted'), 'the rest');
      resumed.cut();
    }
  });
});

it('many streams of one session leave those of others alone [S24, S36]', async () => {
  const { url, server, stats } = await serve(withPrincipals);
  const [eve, ann] = [
    await startSession(url, newest, { headers: bearer('eve') }),
    await startSession(url, newest, { headers: bearer('ann') }),
  ];
  for (const { post } of [eve, ann]) await post(request('resources/subscribe', { uri: 'note://one' }));
  const streams: OpenResponse[] = [];
  for (let n = 0; n < 150; n++) streams.push(await eve.listen());
  const own = await ann.listen();
  server.sendResourceUpdated('note://one');
  await own.until(() => own.text().includes('note://one'), 'the change');
  await streams[149]?.until(() => streams[149]?.text().includes('note://one') === true, 'the change');
  expect(streams.filter((one) => one.text().includes('note://one'))).toHaveLength(1);
  // The others are ended, beyond as many as a session may have.
  expect(stats().streams).toBeLessThan(120);
  for (const one of [own, ...streams]) one.cut();
});

it('keys of HTTP+SSE that were never given find nothing [S24]', async () => {
  const { url } = await serve(withPrincipals);
  const at = new URL(url).origin;
  const stream = await open(`${at}/sse`, { method: 'GET', headers: { accept: 'text/event-stream', ...bearer('ann') } });
  await stream.until(() => stream.text().includes('session='), 'the URL to post to');
  const [, path = '', key = ''] = /data: (\S+\?session=)(\S+)/.exec(stream.text()) ?? [];
  const keys = [
    '',
    '__proto__',
    'constructor',
    key.slice(1),
    `${key}=`,
    `${key}%00`,
    key.toLowerCase(),
    `x&session=${key}`,
  ];
  for (const other of keys)
    for (const who of ['ann', 'eve']) {
      const { status } = await send(new URL(path + other, at).href, {
        headers: bearer(who),
        body: initialize('2024-11-05'),
      });
      expect([other, who, status]).toEqual([other, who, 404]);
    }
  expect(
    (await send(new URL(path + key, at).href, { headers: bearer('eve'), body: initialize('2024-11-05') })).status,
  ).toBe(404);
  stream.cut();
});
