/** Invalid messages of a server over a transport: a strict client closes the connection, a tolerant one counts them. */

import { type ConnectOptions, connect, createServer, TenonError, tool } from 'tenon';
import { createMemoryTransports, type Transport } from 'tenon/transport';
import { describe, expect, it } from 'vitest';
import { deferred } from '../../kit/deferred.ts';
import { withFixed } from '../../kit/fixed-limits.ts';
import { answer, mute, type Script, scriptedServer, session } from '../../kit/transport/scripted-server.ts';

const revisions = ['2025-06-18'] as const;

/** A server that answers pings, and a transport to it that reports a line that is not UTF-8 on demand. */
function bytesServer() {
  const raw = scriptedServer(session({}, (message, send) => message.method === 'ping' && send(answer(message, {}))));
  let warn = (_error: TenonError): void => {};
  const transport: Transport = Object.create(raw.transport, {
    open: {
      value(listener: Parameters<Transport['open']>[0]) {
        warn = (error) => listener.onWarning?.(error);
        raw.transport.open(listener);
      },
    },
  });
  const notUtf8 = (line?: string): void =>
    warn(
      new TenonError('invalid-utf8', 'A line of 2 bytes is not UTF-8 and was dropped.', {
        hint: 'The sender must encode messages as UTF-8.',
        details: { bytes: 2, ...(line !== undefined && { line }) },
      }),
    );
  return { transport, notUtf8, left: raw.left };
}

describe('a line that is not UTF-8', () => {
  it('causes a warning and is counted by a tolerant client, which continues', async () => {
    const { transport, notUtf8 } = bytesServer();
    const warnings: Error[] = [];
    await using client = await connect(transport, {
      protocolVersions: revisions,
      onWarning: (error) => warnings.push(error),
    });
    notUtf8();
    await client.ping();
    expect(warnings).toMatchObject([{ code: 'invalid-utf8' }]);
    expect(client.stats().dropped.invalid).toBe(1);
  });

  it.each([
    ['without the line if the transport does not pass it', undefined, 'A line of 2 bytes is not UTF-8. '],
    ['with the line if the transport passes it', '\ufffd\ufffd', 'A line of 2 bytes is not UTF-8: \ufffd\ufffd. '],
    ['with the beginning of a long line', '\ufffd'.repeat(500), `: ${'\ufffd'.repeat(200)}… (500 characters). `],
  ])('closes a strict connection with an error that does not mention dropping it, %s', async (_, line, text) => {
    const { transport, notUtf8, left } = bytesServer();
    const reasons: Array<Error | undefined> = [];
    const client = await connect(transport, {
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
    expect(reasons[0]?.message).not.toContain('was dropped');
  });
});

describe('the error that closes a strict connection', () => {
  /** The error of connecting to a server that answers the first request with this text. */
  async function failure(response: string, options: ConnectOptions = {}): Promise<unknown> {
    const server = scriptedServer((_message, send) => send(response));
    const warnings: Error[] = [];
    const error = await connect(server.transport, {
      protocolVersions: revisions,
      strict: true,
      onWarning: (warning) => warnings.push(warning),
      ...options,
    }).catch((reason: TenonError) => reason.cause);
    expect(warnings).toEqual([error]);
    return error;
  }

  it.each([
    ['no JSON', 'Listening on port 3000', 'invalid-json', 'standard error'],
    ['JSON that is not a message', '{"level":30}', 'invalid-message', 'standard error'],
    ['JSON that is not an object', '42', 'invalid-message', 'standard error'],
    ['an invalid message', '{"jsonrpc":"2.0","method":1}', 'invalid-message', 'Fix the server'],
    ['an empty batch', '[ ]', 'invalid-message', 'Fix the server'],
    ['a batch in a revision without batches', '[{"jsonrpc":"2.0","method":"n"}]', 'invalid-message', 'Fix the server'],
    ['a duplicate key', '{"jsonrpc":"2.0","method":"n","method":"n"}', 'duplicate-key', 'Fix the server'],
    ['an unsafe key', '{"jsonrpc":"2.0","method":"n","params":{"__proto__":1}}', 'unsafe-key', 'Fix the server'],
    [
      'the response with a duplicate key',
      '{"jsonrpc":"2.0","id":1,"id":1,"result":{}}',
      'duplicate-key',
      'Fix the server',
    ],
    ['the response in a batch', '[{"jsonrpc":"2.0","id":1,"result":{}}]', 'invalid-message', 'Fix the server'],
    ['the response without a result', '{"jsonrpc":"2.0","id":1}', 'invalid-message', 'Fix the server'],
  ])('has the line and a hint: %s', async (_, line, code, hint) => {
    const error = await failure(line);
    expect(error).toMatchObject({ code, details: { line }, hint: expect.stringContaining(hint) });
    expect((error as TenonError).hint).toContain('"strict"');
    expect((error as TenonError).message).toContain(`. ${(error as TenonError).hint}`);
    // For an unsafe key the message shows its place in the line.
    const shown = code === 'unsafe-key' ? '__proto__' : line;
    expect((error as TenonError).message).toContain(shown);
  });

  it.each([
    ['of a client without handshake revisions', ['2026-07-28']],
    ['of a client with handshake revisions', ['2026-07-28', '2025-06-18']],
  ] as const)('is reported for the response to discovery %s', async (_, accepted) => {
    const line = '{"jsonrpc":"2.0","id":1,"id":1,"result":{}}';
    expect(await failure(line, { protocolVersions: accepted })).toMatchObject({
      code: 'duplicate-key',
      details: { line },
    });
  });

  it.each([
    ['a notification', { jsonrpc: '2.0', method: 'notifications/progress', params: { progress: 'half' } }],
    ['a server request', { jsonrpc: '2.0', id: 'q', method: 'sampling/createMessage', params: { messages: 1 } }],
  ])('does not mention standard error for %s with invalid params', async (_, message) => {
    const server = scriptedServer(session({}, mute));
    const closed = deferred<Error | undefined>();
    await connect(server.transport, { protocolVersions: revisions, strict: true, onClose: closed.resolve });
    server.send(message);
    const reason = await closed.promise;
    const line = JSON.stringify(message);
    expect(reason).toMatchObject({ code: 'invalid-message', details: { line } });
    expect(reason?.message).toContain(`${line}. Fix the server, or turn "strict" off`);
    expect(reason?.message).not.toContain('standard error');
  });

  it('is the cause of the rejection of a later call whose response is invalid', async () => {
    const duplicateKey: Script = ({ id, method }, send) =>
      method === 'ping' && send(`{"jsonrpc":"2.0","id":${id},"id":${id},"result":{}}`);
    const server = scriptedServer(session({}, duplicateKey));
    const client = await connect(server.transport, { protocolVersions: revisions, strict: true, onWarning: () => {} });
    await expect(client.ping()).rejects.toMatchObject({ code: 'invalid-result', cause: { code: 'duplicate-key' } });
    await server.left;
  });

  it('retains the hint of a limit', async () => {
    const error = await failure('[1,2]', { limits: withFixed({}, { maxBatch: 1 }) });
    expect(error).toMatchObject({ code: 'batch-too-long', hint: 'Send fewer at once.' });
  });

  it('has no hint of `strict` in a tolerant client', async () => {
    const server = scriptedServer(session({}, mute));
    const warnings: TenonError[] = [];
    await using client = await connect(server.transport, {
      protocolVersions: revisions,
      onWarning: (warning) => warnings.push(warning as TenonError),
    });
    server.send('Listening');
    await expect.poll(() => client.stats().dropped.invalid).toBe(1);
    expect(warnings).toMatchObject([{ code: 'invalid-json', hint: undefined, details: { line: 'Listening' } }]);
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

  it('as a result: the client gets an error, the server a warning with the limit to raise, each once', async () => {
    const { served, failed } = server();
    const [here, there] = createMemoryTransports();
    const warnings: Error[] = [];
    served.accept(there, { limits, onWarning: (error) => warnings.push(error) });
    await using client = await connect(here);
    await expect(client.tools.call('large')).rejects.toMatchObject({
      code: -32603,
      reason: 'internal-error',
      message: expect.stringContaining('larger than the limit of a message'),
    });
    expect(warnings).toMatchObject([limit]);
    expect(failed).toEqual(warnings);
    expect((await client.tools.call('fine')).content).toMatchObject([{ text: 'fine' }]);
  });

  it('as a call: the error names the limit to raise', async () => {
    await using client = await connect(server().served, { limits });
    const call = client.tools.call('fine', { text: 'x'.repeat(5000) });
    await expect(call).rejects.toMatchObject(limit);
  });
});
