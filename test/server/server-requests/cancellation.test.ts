/** Server requests that get no answer, and calls that are cancelled while one is open. */

import { createServer, inputRequired, type Server, tool } from 'tenon';
import type { Context } from 'tenon/server';
import { createMemoryTransports } from 'tenon/transport';
import { describe, expect, it } from 'vitest';
import { deferred } from '../../kit/deferred.ts';
import { form, formModes, opened, run, serverOf } from '../../kit/server-request-modes.ts';
import { type Json, openRaw, request } from '../../kit/transport/raw-connection.ts';
import { isSession } from '../../kit/version-order.ts';

const sessions = formModes.filter(({ revision }) => isSession(revision));

/** A raw session, up to the elicitation that its tool sends. */
async function untilElicitation(revision: string, server: ReturnType<typeof serverOf>) {
  const raw = openRaw(server);
  const clientInfo = { name: 'raw', version: '1' };
  const capabilities = { elicitation: {} };
  raw.send(request(0, 'initialize', { protocolVersion: revision, capabilities, clientInfo }));
  await raw.next();
  raw.send({ jsonrpc: '2.0', method: 'notifications/initialized' });
  raw.send(request(1, 'tools/call', { name: 'it' }));
  const elicitation = await raw.next();
  expect(elicitation).toMatchObject({ method: 'elicitation/create' });
  return { raw, elicitation };
}

const cancel: Json = { jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: 1 } };

describe.each(sessions)('In a session, $name', (mode) => {
  it('an elicitation that the client rejects is an error that the handler can catch [e-elicit-33]', async () => {
    const server = serverOf(
      (context) =>
        context.elicit('a', form('a')).then(
          () => 'answered',
          (error) => error.code,
        ),
      { alwaysReplay: mode.replay },
    );
    const { raw, elicitation } = await untilElicitation(mode.revision, server);
    raw.send({ jsonrpc: '2.0', id: elicitation.id, error: { code: -32603, message: 'no' } });
    expect(await raw.next()).toMatchObject({ id: 1, result: { content: [{ text: 'server-request-failed' }] } });
  });

  it('a rejected elicitation that is not caught makes the result of the call isError', async () => {
    const run = async (context: Context) => (await context.elicit('a', form('a'))).action;
    const server = serverOf(run, { alwaysReplay: mode.replay, onError: () => {} });
    const { raw, elicitation } = await untilElicitation(mode.revision, server);
    raw.send({ jsonrpc: '2.0', id: elicitation.id, error: { code: -32603, message: 'no' } });
    expect(await raw.next()).toMatchObject({ id: 1, result: { isError: true } });
  });

  it('a cancelled call cancels its elicitation, gets no response and does not run again', async () => {
    let runs = 0;
    const finished = deferred<unknown>();
    const server = serverOf(
      async (context) => {
        runs += 1;
        try {
          return (await context.elicit('a', form('a'))).action;
        } catch (error) {
          finished.resolve([(error as { code: string }).code, context.signal.aborted]);
          throw error;
        }
      },
      { alwaysReplay: mode.replay },
    );
    const { raw, elicitation } = await untilElicitation(mode.revision, server);
    raw.send(cancel);
    expect(await raw.next()).toMatchObject({
      method: 'notifications/cancelled',
      params: { requestId: elicitation.id },
    });
    expect(await finished.promise).toEqual([mode.replay ? 'input-required' : 'server-request-failed', true]);
    raw.send({ jsonrpc: '2.0', id: elicitation.id, result: { action: 'decline' } });
    expect(await raw.settled()).toEqual([]);
    expect(runs).toBe(1);
  });

  it('a cancelled call cancels the elicitation that its handler has returned at once', async () => {
    const { message, requestedSchema } = { message: 'a', requestedSchema: { type: 'object' as const, properties: {} } };
    const it = tool({}, () => inputRequired({ a: { message, requestedSchema } }));
    const server = createServer({ name: 'returning', version: '1', tools: { it } }, { alwaysReplay: mode.replay });
    const { raw, elicitation } = await untilElicitation(mode.revision, server as Server);
    raw.send(cancel);
    expect(await raw.settled()).toMatchObject([
      { method: 'notifications/cancelled', params: { requestId: elicitation.id } },
    ]);
  });

  it('a closed connection aborts the handler', async () => {
    const finished = deferred<boolean>();
    const server = serverOf(
      async (context) => {
        try {
          return (await context.elicit('a', form('a'))).action;
        } finally {
          finished.resolve(context.signal.aborted);
        }
      },
      { alwaysReplay: mode.replay },
    );
    const { raw } = await untilElicitation(mode.revision, server);
    raw.transport.close();
    expect(await finished.promise).toBe(true);
  });
});

describe.each(sessions.filter(({ replay }) => !replay))('In a session that waits, $name', (mode) => {
  it('a handler that returns before the answer cancels its elicitation', async () => {
    const requested = deferred();
    const server = serverOf((context) =>
      Promise.race([
        context.elicit('a', form('a')).then(({ action }) => action),
        requested.promise.then(() => 'early'),
      ]),
    );
    const { raw, elicitation } = await untilElicitation(mode.revision, server);
    requested.resolve();
    const received = [await raw.next(), await raw.next()];
    expect(received).toContainEqual(
      expect.objectContaining({
        method: 'notifications/cancelled',
        params: expect.objectContaining({ requestId: elicitation.id }),
      }),
    );
    expect(received).toContainEqual(expect.objectContaining({ id: 1, result: expect.anything() }));
  });
});

describe.each(formModes)('A client, $name', (mode) => {
  const waiting = (context: Context) => context.elicit('a', form('a')).then(({ action }) => action);

  it('that cancels a call during an elicitation aborts the elicitation, and the call fails as cancelled', async () => {
    const handlerSignal = deferred<AbortSignal>();
    const { client } = await opened(mode, waiting, {
      handlers: {
        elicitForm: (_request, { signal }) => {
          handlerSignal.resolve(signal);
          return new Promise(() => {});
        },
      },
    });
    const caller = new AbortController();
    const call = client.tools.call('it', {}, { signal: caller.signal });
    const signal = await handlerSignal.promise;
    const stopped = new Promise((resolve) => signal.addEventListener('abort', resolve));
    caller.abort();
    await expect(call).rejects.toMatchObject({ code: 'cancelled' });
    await stopped;
  });

  it('whose connection closes during an elicitation aborts the elicitation, and the call fails as connection-closed', async () => {
    const handlerSignal = deferred<AbortSignal>();
    const { client } = await opened(mode, waiting, {
      handlers: {
        elicitForm: (_request, { signal }) => {
          handlerSignal.resolve(signal);
          return new Promise(() => {});
        },
      },
    });
    const call = client.tools.call('it');
    const signal = await handlerSignal.promise;
    const failed = call.catch((error) => error);
    await client.close({ timeoutMs: 1 });
    expect(await failed).toMatchObject({ code: 'connection-closed' });
    expect(signal.aborted).toBe(true);
  });
});

describe('A client with several elicitations at once', () => {
  it('aborts the others when one of them fails, and does not send the call again', async () => {
    const handlerSignal = deferred<AbortSignal>();
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
            handlerSignal.resolve(signal);
            return new Promise(() => {});
          },
        },
      },
    );
    await expect(run(client)).rejects.toMatchObject({ code: 'server-request-failed', cause: { message: 'broken' } });
    expect((await handlerSignal.promise).aborted).toBe(true);
    expect(runs).toBe(1);
  });
});

it('An elicitation that times out is cancelled, and rejects in the handler', async () => {
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
