import { connect, createServer, rpcError, tool } from 'tenon';
import { protocolVersions } from 'tenon/protocol';
import { describe, expect, it } from 'vitest';
import { form, opened, run } from '../../kit/server-request-modes.ts';
import { scriptedAt, scriptedServer, session } from '../../kit/transport/scripted-server.ts';

describe.each(protocolVersions)('In strict mode at %s, an error thrown by a callback', (revision) => {
  it('of logs or progress does not close the connection', async () => {
    const server = createServer({
      name: 's',
      version: '1',
      tools: {
        chatter: tool({}, (_given, context) => {
          context.log('info', 'hello');
          context.reportProgress(1);
          return 'done';
        }),
      },
    });
    const warnings: unknown[] = [];
    const fail = (): never => {
      throw new Error('mine');
    };
    await using client = await connect(server, {
      protocolVersions: [revision],
      strict: true,
      logLevel: 'debug',
      onLog: fail,
      onWarning: (error) => warnings.push(error),
    });
    const result = await client.tools.call('chatter', {}, { onProgress: fail });
    expect(result.content).toMatchObject([{ text: 'done' }]);
    expect(warnings).toMatchObject([{ code: 'callback-failed' }, { code: 'callback-failed' }]);
  });
});

describe('A server that answers initialize with a revision without a handshake', () => {
  it.each([[protocolVersions], [protocolVersions.slice(0, 4)]])(
    'is rejected by a client of %j, and the message says why',
    async (revisions) => {
      const raw = scriptedServer(
        session({ revision: '2026-07-28' }, (message, send) => {
          if (message.id !== undefined)
            send({ jsonrpc: '2.0', id: message.id, error: { code: -32601, message: 'no' } });
        }),
      );
      const failure = await connect(raw.transport, { protocolVersions: revisions }).catch((error: Error) => error);
      expect(failure).toMatchObject({
        code: 'protocol-version-mismatch',
        message: expect.stringMatching(/answered initialize with 2026-07-28, a protocol version without initialize/),
      });
    },
  );
});

it('A server that offers a version of a million characters has it cut in the error [S24]', async () => {
  const server = scriptedServer(session({ revision: `\u001b${'x'.repeat(1_000_000)}` }, () => {}));
  const failure = await connect(server.transport, { protocolVersions: ['2025-11-25'] }).catch((error) => error);
  expect(failure).toMatchObject({ code: 'protocol-version-mismatch', message: expect.stringContaining('\\u001bxxx') });
  expect(failure.message.length).toBeLessThan(500);
});

describe('An input request that the client does not answer', () => {
  it('rejects the call with an error that names the method and the key', async () => {
    const inputRequests = { mood: { method: 'sampling/createMessage', params: { messages: [], maxTokens: 1 } } };
    const { client } = scriptedAt('2026-07-28', { tools: {} }, () => ({ resultType: 'input_required', inputRequests }));
    await expect((await client).tools.call('it')).rejects.toMatchObject({
      name: 'TenonError',
      code: 'server-request-failed',
      message: expect.stringMatching(/sampling\/createMessage.*"mood"/),
      details: { method: 'sampling/createMessage', key: 'mood' },
      cause: { reason: 'sampling-not-supported' },
    });
  });

  it("rejects the call with the handler's error as cause", async () => {
    const no = rpcError('user-rejected', 'No');
    const mode = { name: '', revision: '2026-07-28', replay: false, repeats: true } as const;
    const { client } = await opened(mode, async ({ elicit }) => (await elicit('a', form('a'))).action, {
      handlers: {
        elicitForm: () => {
          throw no;
        },
      },
    });
    await expect(run(client)).rejects.toMatchObject({ code: 'server-request-failed', cause: no });
    await client.close();
  });
});

it.each([
  ['a string as timeoutMs', { timeoutMs: '5' }],
  ['a string as maxTotalTimeoutMs', { maxTotalTimeoutMs: '5' }],
  ['a controller as signal', { signal: new AbortController(), maxTotalTimeoutMs: 5 }],
  ['a string as signal', { signal: 'stop' }],
])('A call with %s is rejected as invalid-argument before it is sent', async (_, options) => {
  const server = scriptedServer(session({ capabilities: { tools: {} } }, () => {}));
  await using client = await connect(server.transport, { protocolVersions: ['2025-11-25'] });
  await expect(client.tools.call('a', {}, options as never)).rejects.toMatchObject({ code: 'invalid-argument' });
  expect(server.methods()).not.toContain('tools/call');
});
