/** What is wrong with what a server sends, over a channel: how a strict client ends by it, and what a tolerant one counts. */

import { type ConnectOptions, connect, createServer, TenonError, tool } from 'tenon';
import { createMemoryTransports, type Transport } from 'tenon/transport';
import { describe, expect, it } from 'vitest';
import { answer, mute, type Script, scriptedServer, session } from '../../kit/channel/scripted-server.ts';
import { deferred } from '../../kit/deferred.ts';

const revisions = ['2025-06-18'] as const;

/** A server that answers pings, and a channel to it that can be told of a line that is not UTF-8. */
function bytesServer() {
  const raw = scriptedServer(session({}, (message, send) => message.method === 'ping' && send(answer(message, {}))));
  let notify = (_error: TenonError): void => {};
  const channel: Transport = Object.create(raw.channel, {
    open: {
      value(listener: Parameters<Transport['open']>[0]) {
        notify = (error) => listener.onWarning?.(error);
        raw.channel.open(listener);
      },
    },
  });
  const notUtf8 = (line?: string): void =>
    notify(
      new TenonError('invalid-utf8', 'A line of 2 bytes is not UTF-8 and was passed over.', {
        hint: 'The sender must encode messages as UTF-8.',
        details: { bytes: 2, ...(line !== undefined && { line }) },
      }),
    );
  return { channel, notUtf8, left: raw.left };
}

describe('a line that is not UTF-8', () => {
  it('is told and counted by a tolerant client, which goes on', async () => {
    const { channel, notUtf8 } = bytesServer();
    const faults: Error[] = [];
    await using client = await connect(channel, {
      protocolVersions: revisions,
      onWarning: (error) => faults.push(error),
    });
    notUtf8();
    await client.ping();
    expect(faults).toMatchObject([{ code: 'invalid-utf8' }]);
    expect(client.stats().dropped.invalid).toBe(1);
  });

  it.each([
    ['without the line where the channel does not tell it', undefined, 'A line of 2 bytes is not UTF-8. '],
    ['with the line where the channel tells it', '\ufffd\ufffd', 'A line of 2 bytes is not UTF-8: \ufffd\ufffd. '],
    ['with the beginning of a long one', '\ufffd'.repeat(500), `: ${'\ufffd'.repeat(200)}… (500 characters). `],
  ])('ends a strict connection by an error that does not say it went on, %s', async (_, line, text) => {
    const { channel, notUtf8, left } = bytesServer();
    const reasons: Array<Error | undefined> = [];
    const client = await connect(channel, {
      protocolVersions: revisions,
      strict: true,
      onClose: (reason) => reasons.push(reason),
    });
    notUtf8(line);
    await left;
    await expect(client.ping()).rejects.toMatchObject({ code: 'connection-closed' });
    expect(client.stats().dropped.invalid).toBe(1);
    expect(reasons).toMatchObject([{ code: 'invalid-utf8', hint: expect.stringContaining('"strict"') }]);
    expect(reasons[0]?.message).toContain(text);
    expect(reasons[0]?.message).not.toContain('was passed over');
  });
});

describe('what a strict client ends by', () => {
  /** What connecting to a server fails with that says this to the handshake. */
  async function failure(said: string, options: ConnectOptions = {}): Promise<unknown> {
    const server = scriptedServer((_message, send) => send(said));
    const faults: Error[] = [];
    const error = await connect(server.channel, {
      protocolVersions: revisions,
      strict: true,
      onWarning: (fault) => faults.push(fault),
      ...options,
    }).catch((reason: TenonError) => reason.cause);
    expect(faults).toEqual([error]);
    return error;
  }

  it.each([
    ['no JSON', 'Listening on port 3000', 'invalid-json', 'standard error'],
    ['JSON that is no message', '{"level":30}', 'invalid-message', 'standard error'],
    ['JSON that is no object', '42', 'invalid-message', 'standard error'],
    ['a message that is no valid one', '{"jsonrpc":"2.0","method":1}', 'invalid-message', 'Fix the server'],
    ['an empty batch', '[ ]', 'invalid-message', 'Fix the server'],
    ['a batch where there are none', '[{"jsonrpc":"2.0","method":"n"}]', 'invalid-message', 'Fix the server'],
    ['a doubled key', '{"jsonrpc":"2.0","method":"n","method":"n"}', 'duplicate-key', 'Fix the server'],
    ['an unsafe key', '{"jsonrpc":"2.0","method":"n","params":{"__proto__":1}}', 'unsafe-key', 'Fix the server'],
    ['the answer with a doubled key', '{"jsonrpc":"2.0","id":1,"id":1,"result":{}}', 'duplicate-key', 'Fix the server'],
    ['the answer in a batch', '[{"jsonrpc":"2.0","id":1,"result":{}}]', 'invalid-message', 'Fix the server'],
    ['the answer without a result', '{"jsonrpc":"2.0","id":1}', 'invalid-message', 'Fix the server'],
  ])('has the line and a hint: %s', async (_, line, code, hint) => {
    const error = await failure(line);
    expect(error).toMatchObject({ code, details: { line }, hint: expect.stringContaining(hint) });
    expect((error as TenonError).hint).toContain('"strict"');
    expect((error as TenonError).message).toContain(`. ${(error as TenonError).hint}`);
    // Of an unsafe key the message has its place in the line.
    const shown = code === 'unsafe-key' ? '__proto__' : line;
    expect((error as TenonError).message).toContain(shown);
  });

  it.each([
    ['of a client that has to discover it', ['2026-07-28']],
    ['of one that could shake hands instead', ['2026-07-28', '2025-06-18']],
  ] as const)('is told where it is the answer to the first question %s', async (_, spoken) => {
    const line = '{"jsonrpc":"2.0","id":1,"id":1,"result":{}}';
    expect(await failure(line, { protocolVersions: spoken })).toMatchObject({
      code: 'duplicate-key',
      details: { line },
    });
  });

  it.each([
    ['news', { jsonrpc: '2.0', method: 'notifications/progress', params: { progress: 'half' } }],
    ['a question', { jsonrpc: '2.0', id: 'q', method: 'sampling/createMessage', params: { messages: 1 } }],
  ])('is not taken for something printed where it is %s with the wrong params', async (_, message) => {
    const server = scriptedServer(session({}, mute));
    const closed = deferred<Error | undefined>();
    await connect(server.channel, { protocolVersions: revisions, strict: true, onClose: closed.resolve });
    server.send(message);
    const reason = await closed.promise;
    const line = JSON.stringify(message);
    expect(reason).toMatchObject({ code: 'invalid-message', details: { line } });
    expect(reason?.message).toContain(`${line}. Fix the server, or turn "strict" off`);
    expect(reason?.message).not.toContain('standard error');
  });

  it('fails a later call by what is wrong with its own answer', async () => {
    const doubled: Script = ({ id, method }, send) =>
      method === 'ping' && send(`{"jsonrpc":"2.0","id":${id},"id":${id},"result":{}}`);
    const server = scriptedServer(session({}, doubled));
    const client = await connect(server.channel, { protocolVersions: revisions, strict: true, onWarning: () => {} });
    await expect(client.ping()).rejects.toMatchObject({ code: 'invalid-result', cause: { code: 'duplicate-key' } });
    await server.left;
  });

  it('keeps the hint that it has', async () => {
    const error = await failure('[1,2]', { limits: { maxBatch: 1 } });
    expect(error).toMatchObject({ code: 'batch-too-long', hint: expect.stringContaining('limits.maxBatch') });
  });

  it('has no hint of `strict` where the client is tolerant', async () => {
    const server = scriptedServer(session({}, mute));
    const faults: TenonError[] = [];
    await using client = await connect(server.channel, {
      protocolVersions: revisions,
      onWarning: (fault) => faults.push(fault as TenonError),
    });
    server.send('Listening');
    await expect.poll(() => client.stats().dropped.invalid).toBe(1);
    expect(faults).toMatchObject([{ code: 'invalid-json', hint: undefined, details: { line: 'Listening' } }]);
  });
});

describe('a message over the limit', () => {
  const limits = { maxMessageChars: 4000 };
  const server = () => {
    const tools = { large: tool({}, () => 'secret'.repeat(1000)), fine: tool({}, () => 'fine') };
    const failed: unknown[] = [];
    const served = createServer({ name: 's', version: '1', tools }, { onError: (error) => failed.push(error) });
    return { served, failed };
  };
  const limit = {
    code: 'invalid-outgoing-message',
    hint: expect.stringContaining('raise limits.maxMessageChars'),
    details: { maxMessageChars: 4000, characters: expect.any(Number) },
  };

  it('as a result: the client hears that it is too large, the server which limit to raise, each once', async () => {
    const { served, failed } = server();
    const [here, there] = createMemoryTransports();
    const faults: Error[] = [];
    served.accept(there, { limits, onWarning: (error) => faults.push(error) });
    await using client = await connect(here);
    await expect(client.tools.call('large')).rejects.toMatchObject({
      code: -32603,
      reason: 'internal-error',
      message: expect.stringContaining('larger than a message may be'),
    });
    expect(faults).toMatchObject([limit]);
    expect(failed).toEqual(faults);
    expect((await client.tools.call('fine')).content).toMatchObject([{ text: 'fine' }]);
  });

  it('as a call: the caller hears which limit to raise', async () => {
    await using client = await connect(server().served, { limits });
    const call = client.tools.call('fine', { text: 'x'.repeat(5000) });
    await expect(call).rejects.toMatchObject(limit);
  });
});
