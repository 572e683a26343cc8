/** How far a client is with its answer: told to the handler that waits, and to nobody else. */

import { describe, expect, it } from 'vitest';
import { openRaw, request } from '../../kit/channel/raw-connection.ts';
import { connectRecorded } from '../../kit/channel/recorded-connection.ts';
import { deferred } from '../../kit/deferred.ts';
import { allModes, form, formModes, opened, run, sampled, serverOf } from '../../kit/server-request-modes.ts';

const waiting = allModes.filter(({ repeats }) => !repeats);
const repeating = allModes.filter(({ repeats }) => repeats);
const prompt = { messages: [], maxTokens: 1 };

describe.each(waiting)('Progress of an answer, $name', (mode) => {
  const hasMessage = mode.revision !== '2024-11-05';
  const progressOf = (messages: ReadonlyArray<Record<string, unknown>>) =>
    messages.filter(({ method }) => method === 'notifications/progress').map(({ params }) => params);

  it('is heard by the handler that waits, ever growing, and nothing after the answer [S14, s-progress-03, s-progress-04, s-progress-05, s-progress-07, s-progress-08, s-progress-14]', async () => {
    const notified: unknown[] = [];
    let later = (): void => {};
    const server = serverOf(async ({ sample }) => {
      const { model } = await sample('a', prompt, { onProgress: (one) => notified.push(one) });
      return model;
    });
    const { client, sent } = await connectRecorded(server, {
      protocolVersions: [mode.revision],
      handlers: {
        sample: (_request, { reportProgress: progress }) => {
          progress(0, 2, 'begun');
          progress(0.5);
          progress(0.5);
          progress(0.1);
          progress(Number.NaN);
          progress(1.5, 2);
          later = () => progress(2);
          return sampled;
        },
      },
    });
    expect(await run(client)).toBe('m');
    later();
    await run(client);
    const expected = [
      { progress: 0, total: 2, ...(hasMessage && { message: 'begun' }) },
      { progress: 0.5 },
      { progress: 1.5, total: 2 },
    ];
    expect(notified).toEqual([...expected, ...expected]);
    const tokens = progressOf(sent).map((params) => (params as { progressToken: unknown }).progressToken);
    expect(tokens).toHaveLength(6);
    await client.close();
  });

  it('is asked for by a token of its own for every question, and not where nobody listens [s-progress-01, s-progress-02, s-progress-12]', async () => {
    const onProgress = (): void => {};
    const server = serverOf(async ({ sample }) => {
      await Promise.all([
        sample('a', prompt, { onProgress }),
        sample('b', prompt, { onProgress }),
        sample('c', prompt),
      ]);
      return 'done';
    });
    const { client, received } = await connectRecorded(server, {
      protocolVersions: [mode.revision],
      handlers: { sample: () => sampled },
    });
    expect(await run(client)).toBe('done');
    const requested = received.filter(({ method }) => method === 'sampling/createMessage');
    const tokens = requested.map(
      ({ params }) => (params as { _meta?: { progressToken?: unknown } })._meta?.progressToken,
    );
    expect(tokens.filter((token) => Number.isInteger(token))).toHaveLength(2);
    expect(new Set(tokens).size).toBe(3);
    expect(tokens.at(-1)).toBeUndefined();
    await client.close();
  });

  it('that comes late, or belongs to nothing, is dropped and counted [S14, s-progress-12]', async () => {
    const notified: unknown[] = [];
    const server = serverOf(async ({ sample }) => {
      await sample('a', prompt, { onProgress: ({ progress }) => notified.push(progress) });
      return 'done';
    });
    let stats = (): unknown => undefined;
    const raw = openRaw({
      ...server,
      accept: (channel, options) => {
        const connection = server.accept(channel, options);
        stats = connection.stats;
        return connection;
      },
    });
    const clientInfo = { name: 'raw', version: '1' };
    const hello = { protocolVersion: mode.revision, capabilities: { sampling: {} }, clientInfo };
    raw.send(request(0, 'initialize', hello));
    await raw.next();
    raw.send({ jsonrpc: '2.0', method: 'notifications/initialized' });
    raw.send(request(1, 'tools/call', { name: 'it' }));
    const { id, params } = await raw.next();
    const { progressToken } = (params as { _meta: { progressToken: unknown } })._meta;
    const notify = (token: unknown, progress: number): void =>
      raw.send({ jsonrpc: '2.0', method: 'notifications/progress', params: { progressToken: token, progress } });
    notify(progressToken, 1);
    for (const token of ['tenon-99', 'tenon-', 'x', 7]) notify(token, 2);
    raw.send({ jsonrpc: '2.0', id, result: sampled });
    expect(await raw.next()).toMatchObject({ id: 1, result: { content: [{ text: 'done' }] } });
    notify(progressToken, 3);
    await raw.settled();
    expect(notified).toEqual([1]);
    expect(stats()).toMatchObject({ dropped: { late: 1, unknown: 4 } });
    expect(raw.faults).toEqual([]);
  });
});

describe.each(formModes)('Progress of a form, $name', (mode) => {
  it(`reaches the handler only where it waits [S14]`, async () => {
    const notified: unknown[] = [];
    const { client } = await opened(
      mode,
      async ({ elicit }) =>
        (await elicit('a', form('a'), { onProgress: ({ progress }) => notified.push(progress) })).action,
      {
        handlers: {
          elicitForm: (_request, { reportProgress: progress }) => {
            progress(1);
            return { action: 'decline' };
          },
        },
      },
    );
    expect(await run(client)).toBe('decline');
    expect(notified).toEqual(mode.repeats ? [] : [1]);
    await client.close();
  });

  it('is told no more once the question is taken back', async () => {
    const requested = deferred();
    const over = deferred();
    const server = serverOf(async ({ elicit }) => (await elicit('a', form('a'), { onProgress: () => {} })).action, {
      alwaysReplay: mode.replay,
    });
    const { client, sent } = await connectRecorded(server, {
      protocolVersions: [mode.revision],
      handlers: {
        elicitForm: (_request, { signal, reportProgress: progress }) => {
          signal.addEventListener('abort', () => {
            progress(1);
            over.resolve();
          });
          requested.resolve();
          return new Promise<never>(() => {});
        },
      },
    });
    const caller = new AbortController();
    const call = client.tools.call('it', {}, { signal: caller.signal }).catch(({ code }) => code);
    await requested.promise;
    caller.abort();
    expect(await call).toBe('cancelled');
    await over.promise;
    expect(sent.filter(({ method }) => method === 'notifications/progress')).toEqual([]);
    await client.close();
  });
});

describe.each(repeating)('Progress of an answer that no handler waits for, $name', (mode) => {
  it('is told to nobody', async () => {
    const notified: unknown[] = [];
    const server = serverOf(
      async ({ sample }) => (await sample('a', prompt, { onProgress: (one) => notified.push(one) })).model,
      { alwaysReplay: mode.replay },
    );
    const { client, sent } = await connectRecorded(server, {
      protocolVersions: [mode.revision],
      handlers: {
        sample: (_request, { reportProgress: progress }) => {
          progress(1);
          return sampled;
        },
      },
    });
    expect(await run(client)).toBe('m');
    expect(notified).toEqual([]);
    expect(sent.filter(({ method }) => method === 'notifications/progress')).toEqual([]);
    await client.close();
  });
});
