/** Questions that nobody answers, and calls that are given up while one waits. */

import type { Context } from 'tenon/server';
import { createMemoryTransports } from 'tenon/transport';
import { describe, expect, it } from 'vitest';
import { type Json, openRaw, request } from '../../kit/channel/raw-connection.ts';
import { deferred } from '../../kit/deferred.ts';
import { form, formModes, opened, run, serverOf } from '../../kit/server-request-modes.ts';

const sessions = formModes.filter(({ revision }) => revision !== '2026-07-28');

/** A session by hand, up to the question that the one tool asks. */
async function upToTheQuestion(revision: string, server: ReturnType<typeof serverOf>) {
  const raw = openRaw(server);
  const clientInfo = { name: 'raw', version: '1' };
  const capabilities = { elicitation: {} };
  raw.send(request(0, 'initialize', { protocolVersion: revision, capabilities, clientInfo }));
  await raw.next();
  raw.send({ jsonrpc: '2.0', method: 'notifications/initialized' });
  raw.send(request(1, 'tools/call', { name: 'it' }));
  const question = await raw.next();
  expect(question).toMatchObject({ method: 'elicitation/create' });
  return { raw, question };
}

const cancel: Json = { jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: 1 } };

describe.each(sessions)('In a session, $name', (mode) => {
  it('a question the client refuses is an error that the handler can catch [e-elicit-33]', async () => {
    const server = serverOf(
      (context) =>
        context.elicit('a', form('a')).then(
          () => 'answered',
          (error) => error.code,
        ),
      { alwaysReplay: mode.replay },
    );
    const { raw, question } = await upToTheQuestion(mode.revision, server);
    raw.send({ jsonrpc: '2.0', id: question.id, error: { code: -32603, message: 'no' } });
    expect(await raw.next()).toMatchObject({ id: 1, result: { content: [{ text: 'server-request-failed' }] } });
  });

  it('one that is not caught makes the call an isError result', async () => {
    const run = async (context: Context) => (await context.elicit('a', form('a'))).action;
    const server = serverOf(run, { alwaysReplay: mode.replay, onError: () => {} });
    const { raw, question } = await upToTheQuestion(mode.revision, server);
    raw.send({ jsonrpc: '2.0', id: question.id, error: { code: -32603, message: 'no' } });
    expect(await raw.next()).toMatchObject({ id: 1, result: { isError: true } });
  });

  it('a call that is cancelled takes its question back, is not answered and does not run again', async () => {
    let runs = 0;
    const left = deferred<unknown>();
    const server = serverOf(
      async (context) => {
        runs += 1;
        try {
          return (await context.elicit('a', form('a'))).action;
        } catch (error) {
          left.resolve([(error as { code: string }).code, context.signal.aborted]);
          throw error;
        }
      },
      { alwaysReplay: mode.replay },
    );
    const { raw, question } = await upToTheQuestion(mode.revision, server);
    raw.send(cancel);
    expect(await raw.next()).toMatchObject({
      method: 'notifications/cancelled',
      params: { requestId: question.id },
    });
    expect(await left.promise).toEqual([mode.replay ? 'input-required' : 'server-request-failed', true]);
    raw.send({ jsonrpc: '2.0', id: question.id, result: { action: 'decline' } });
    expect(await raw.settled()).toEqual([]);
    expect(runs).toBe(1);
  });

  it('a connection that ends aborts the handler', async () => {
    const left = deferred<boolean>();
    const server = serverOf(
      async (context) => {
        try {
          return (await context.elicit('a', form('a'))).action;
        } finally {
          left.resolve(context.signal.aborted);
        }
      },
      { alwaysReplay: mode.replay },
    );
    const { raw } = await upToTheQuestion(mode.revision, server);
    raw.channel.close();
    expect(await left.promise).toBe(true);
  });
});

describe.each(sessions.filter(({ replay }) => !replay))('In a session that waits, $name', (mode) => {
  it('a handler that has its answer from elsewhere takes the question back', async () => {
    const requested = deferred();
    const server = serverOf((context) =>
      Promise.race([
        context.elicit('a', form('a')).then(({ action }) => action),
        requested.promise.then(() => 'elsewhere'),
      ]),
    );
    const { raw, question } = await upToTheQuestion(mode.revision, server);
    requested.resolve();
    const received = [await raw.next(), await raw.next()];
    expect(received).toContainEqual(
      expect.objectContaining({
        method: 'notifications/cancelled',
        params: expect.objectContaining({ requestId: question.id }),
      }),
    );
    expect(received).toContainEqual(expect.objectContaining({ id: 1, result: expect.anything() }));
  });
});

describe.each(formModes)('A client, $name', (mode) => {
  const waiting = (context: Context) => context.elicit('a', form('a')).then(({ action }) => action);

  it('that gives a call up while its user is asked stops asking, and the call fails as cancelled', async () => {
    const requesting = deferred<AbortSignal>();
    const { client } = await opened(mode, waiting, {
      handlers: {
        elicitForm: (_request, { signal }) => {
          requesting.resolve(signal);
          return new Promise(() => {});
        },
      },
    });
    const giveUp = new AbortController();
    const call = client.tools.call('it', {}, { signal: giveUp.signal });
    const signal = await requesting.promise;
    const stopped = new Promise((resolve) => signal.addEventListener('abort', resolve));
    giveUp.abort();
    await expect(call).rejects.toMatchObject({ code: 'cancelled' });
    await stopped;
  });

  it('whose connection ends while its user is asked stops asking, and the call fails as connection-closed', async () => {
    const requesting = deferred<AbortSignal>();
    const { client } = await opened(mode, waiting, {
      handlers: {
        elicitForm: (_request, { signal }) => {
          requesting.resolve(signal);
          return new Promise(() => {});
        },
      },
    });
    const call = client.tools.call('it');
    const signal = await requesting.promise;
    const failed = call.catch((error) => error);
    await client.close({ timeoutMs: 1 });
    expect(await failed).toMatchObject({ code: 'connection-closed' });
    expect(signal.aborted).toBe(true);
  });
});

describe('A client that is asked several things at once', () => {
  it('stops asking the others when one of them fails, and does not send the call again', async () => {
    const requesting = deferred<AbortSignal>();
    let runs = 0;
    const { client } = await opened(
      { name: '', revision: '2026-07-28', replay: false, repeats: true },
      async (context) => {
        runs += 1;
        return Object.keys(await context.requestInput({ a: form('a'), b: form('b') })).join();
      },
      {
        handlers: {
          elicitForm: async ({ message }, { signal }) => {
            if (message === 'b') throw new Error('broken');
            requesting.resolve(signal);
            return new Promise(() => {});
          },
        },
      },
    );
    await expect(run(client)).rejects.toMatchObject({ code: 'server-request-failed', cause: { message: 'broken' } });
    expect((await requesting.promise).aborted).toBe(true);
    expect(runs).toBe(1);
  });
});

it('A question that waits too long is given up, and the handler hears of it', async () => {
  const server = serverOf((context) =>
    context.elicit('a', form('a')).then(
      () => 'answered',
      (error) => error.code,
    ),
  );
  const [here, there] = createMemoryTransports();
  const received: Json[] = [];
  const answered = deferred();
  server.accept(there, { timeouts: { inputMs: 1 } });
  here.open({
    onMessage(text) {
      const message = JSON.parse(text) as Json;
      received.push(message);
      if (message.id === 1 && 'result' in message) answered.resolve();
    },
    onClose: () => {},
  });
  const capabilities = { elicitation: {} };
  const clientInfo = { name: 'raw', version: '1' };
  const send = (message: Json): void => here.send(JSON.stringify(message));
  send(request(0, 'initialize', { protocolVersion: '2025-11-25', capabilities, clientInfo }));
  send(request(1, 'tools/call', { name: 'it' }));
  await answered.promise;
  expect(received).toMatchObject([
    { id: 0 },
    { method: 'elicitation/create' },
    { method: 'notifications/cancelled', params: { reason: 'timeout' } },
    { id: 1, result: { content: [{ text: 'server-request-failed' }] } },
  ]);
});
