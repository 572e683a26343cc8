import { connect, createServer, tool } from 'tenon';
import { protocolVersions } from 'tenon/protocol';
import { describe, expect, it } from 'vitest';
import { type Json, openAt } from '../../kit/transport/raw-connection.ts';
import { scriptedAt } from '../../kit/transport/scripted-server.ts';

let finishLate = (): void => {};
const server = createServer({
  name: 'worker',
  version: '1',
  tools: {
    work: tool({}, (_given, { reportProgress: progress }) => {
      progress(0, 1, 'begun');
      progress(0.25);
      progress(0.25);
      progress(0.1);
      progress(Number.NaN);
      progress(Number.POSITIVE_INFINITY);
      progress(1.5, 1);
      return 'done';
    }),
    late: tool({}, (_given, { reportProgress: progress }) => {
      progress(1);
      finishLate = () => progress(2);
      return 'done';
    }),
    hang: tool({}, (_given, { reportProgress: progress, signal }) => {
      progress(1);
      signal.addEventListener('abort', () => progress(2));
      return new Promise<string>(() => {});
    }),
  },
});

const progressOf = (messages: Json[]): unknown[] =>
  messages.filter(({ method }) => method === 'notifications/progress').map(({ params }) => params);

describe.each(protocolVersions)('progress at %s', (revision) => {
  const open = () => connect(server, { protocolVersions: [revision] });
  const hasMessage = revision !== '2024-11-05';

  it('is received by its call, always increasing, with fractions and beyond the total [e-progress-01, e-progress-04, e-progress-05, e-progress-08, s-progress-03, s-progress-04, s-progress-05, s-progress-08]', async () => {
    const received: unknown[] = [];
    const client = await open();
    await client.tools.call('work', {}, { onProgress: (progress) => received.push(progress) });
    expect(received).toEqual([
      { progress: 0, total: 1, ...(hasMessage && { message: 'begun' }) },
      { progress: 0.25 },
      { progress: 1.5, total: 1 },
    ]);
  });

  it.each(['abc', '', 0, 7, -1])('repeats the token %j unchanged [e-schema-22]', async (progressToken) => {
    const { send, settled, ask } = await openAt(server, revision);
    const message = ask(1, 'tools/call', { name: 'late' });
    const params = message.params as Json;
    send({ ...message, params: { ...params, _meta: { ...(params._meta as Json), progressToken } } });
    expect(progressOf(await settled())).toEqual([{ progressToken, progress: 1 }]);
  });

  it('is never sent without a token, nor for a call that is answered or cancelled [e-progress-07, e-progress-11, s-progress-07, s-progress-14]', async () => {
    const { send, settled, ask } = await openAt(server, revision);
    const withToken = (id: number, name: string): Json => {
      const message = ask(id, 'tools/call', { name });
      const params = message.params as Json;
      return { ...message, params: { ...params, _meta: { ...(params._meta as Json), progressToken: id } } };
    };
    send(ask(1, 'tools/call', { name: 'work' }));
    expect(progressOf(await settled())).toEqual([]);
    send(withToken(2, 'late'));
    expect(progressOf(await settled())).toEqual([{ progressToken: 2, progress: 1 }]);
    finishLate();
    expect(await settled()).toEqual([]);
    send(withToken(3, 'hang'));
    expect(progressOf(await settled())).toEqual([{ progressToken: 3, progress: 1 }]);
    send({ jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: 3 } });
    expect(await settled()).toEqual([]);
  });

  it('is requested with a unique token for every call, and late progress is dropped [e-progress-02, e-progress-03, e-progress-09, s-progress-01, s-progress-02, s-progress-12]', async () => {
    const waiting: Json[] = [];
    const tokens = (): unknown[] => waiting.map(({ params }) => ((params as Json)._meta as Json).progressToken);
    const notify = (n: number, progress: number): void =>
      send({ jsonrpc: '2.0', method: 'notifications/progress', params: { progressToken: tokens()[n], progress } });
    const { client, send } = scriptedAt(revision, { tools: {} }, (message) => {
      if (waiting.push(message) < 3) return undefined;
      if (waiting.length > 3) return { content: [] };
      notify(1, 11);
      notify(0, 10);
      for (const { id } of waiting) send({ jsonrpc: '2.0', id, result: { resultType: 'complete', content: [] } });
      return undefined;
    });
    const { tools, stats } = await client;
    const received: unknown[] = [];
    const call = (name: string) =>
      tools.call(name, {}, { onProgress: ({ progress }) => received.push([name, progress]) });
    await Promise.all(['a', 'b', 'c'].map(call));
    for (const n of [0, 1, 2]) notify(n, 99);
    await call('d');
    expect(received).toEqual([
      ['b', 11],
      ['a', 10],
    ]);
    expect(stats().dropped).toMatchObject({ late: 3, unknown: 0 });
    expect(new Set(tokens()).size).toBe(4);
    expect(tokens().every((token) => typeof token === 'string' || Number.isInteger(token))).toBe(true);
  });

  it('is requested also without `onProgress`, as a sign of life, and other keys of _meta are sent too', async () => {
    const { client, received } = scriptedAt(revision, { tools: {} }, () => ({ content: [] }));
    const { tools } = await client;
    await tools.call('x', {}, { meta: { 'acme/trace': 'abc' } });
    const { params } = received.at(-1) as { params: { _meta: Json } };
    expect(params._meta).toMatchObject({ 'acme/trace': 'abc', progressToken: expect.any(Number) });
  });
});
