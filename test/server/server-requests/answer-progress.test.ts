/** Progress of a client on a server request: reported to the waiting handler, and not sent if no handler waits. */

import { describe, expect, it } from 'vitest';
import { deferred } from '../../kit/deferred.ts';
import { allModes, form, formModes, opened, run, sampled, serverOf } from '../../kit/server-request-modes.ts';
import { openRaw, request } from '../../kit/transport/raw-connection.ts';
import { connectRecorded } from '../../kit/transport/recorded-connection.ts';

const waiting = allModes.filter(({ repeats }) => !repeats);
const repeating = allModes.filter(({ repeats }) => repeats);
const prompt = { messages: [], maxTokens: 1 };

describe.each(waiting)('Progress of a server request, $name', (mode) => {
  const hasMessage = mode.revision !== '2024-11-05';
  const progressOf = (messages: ReadonlyArray<Record<string, unknown>>) =>
    messages.filter(({ method }) => method === 'notifications/progress').map(({ params }) => params);

  it('is reported to the waiting handler, only while it increases, and not after the answer [S14, s-progress-03, s-progress-04, s-progress-05, s-progress-07, s-progress-08, s-progress-14]', async () => {
    const reported: unknown[] = [];
    let later = (): void => {};
    const server = serverOf(async ({ sample }) => {
      const { model } = await sample('a', prompt, { onProgress: (one) => reported.push(one) });
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
    expect(reported).toEqual([...expected, ...expected]);
    const tokens = progressOf(sent).map((params) => (params as { progressToken: unknown }).progressToken);
    expect(tokens).toHaveLength(6);
    await client.close();
  });

  it('is requested with a token for each server request, and not requested without onProgress [s-progress-01, s-progress-02, s-progress-12]', async () => {
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

  it('that arrives late, or has an unknown token, is dropped and counted [S14, s-progress-12]', async () => {
    const reported: unknown[] = [];
    const server = serverOf(async ({ sample }) => {
      await sample('a', prompt, { onProgress: ({ progress }) => reported.push(progress) });
      return 'done';
    });
    let stats = (): unknown => undefined;
    const raw = openRaw({
      ...server,
      accept: (transport, options) => {
        const connection = server.accept(transport, options);
        stats = connection.stats;
        return connection;
      },
    });
    const clientInfo = { name: 'raw', version: '1' };
    const initialize = { protocolVersion: mode.revision, capabilities: { sampling: {} }, clientInfo };
    raw.send(request(0, 'initialize', initialize));
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
    expect(reported).toEqual([1]);
    expect(stats()).toMatchObject({ dropped: { late: 1, unknown: 4 } });
    expect(raw.warnings).toEqual([]);
  });
});

describe.each(formModes)('Progress of a form elicitation, $name', (mode) => {
  it('is reported only to a handler that waits [S14]', async () => {
    const reported: unknown[] = [];
    const { client } = await opened(
      mode,
      async ({ elicit }) =>
        (await elicit('a', form('a'), { onProgress: ({ progress }) => reported.push(progress) })).action,
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
    expect(reported).toEqual(mode.repeats ? [] : [1]);
    await client.close();
  });

  it('is not sent after the elicitation is cancelled', async () => {
    const requested = deferred();
    const aborted = deferred();
    const server = serverOf(async ({ elicit }) => (await elicit('a', form('a'), { onProgress: () => {} })).action, {
      alwaysReplay: mode.replay,
    });
    const { client, sent } = await connectRecorded(server, {
      protocolVersions: [mode.revision],
      handlers: {
        elicitForm: (_request, { signal, reportProgress: progress }) => {
          signal.addEventListener('abort', () => {
            progress(1);
            aborted.resolve();
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
    await aborted.promise;
    expect(sent.filter(({ method }) => method === 'notifications/progress')).toEqual([]);
    await client.close();
  });
});

describe.each(repeating)('Progress of a server request that no handler waits for, $name', (mode) => {
  it('is not sent', async () => {
    const reported: unknown[] = [];
    const server = serverOf(
      async ({ sample }) => (await sample('a', prompt, { onProgress: (one) => reported.push(one) })).model,
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
    expect(reported).toEqual([]);
    expect(sent.filter(({ method }) => method === 'notifications/progress')).toEqual([]);
    await client.close();
  });
});
