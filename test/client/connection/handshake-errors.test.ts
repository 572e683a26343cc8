import { connect, createServer, protocolVersions, rpcError, tool } from 'tenon';
import { describe, expect, it } from 'vitest';
import { scriptedAt, scriptedServer, session } from '../../kit/channel/scripted-server.ts';
import { form, opened, run } from '../../kit/server-request-modes.ts';

describe.each(protocolVersions)('In strict mode at %s, what the user of a client throws', (revision) => {
  it('when told of a log entry or of progress is no reason to leave', async () => {
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
    const faults: unknown[] = [];
    const fail = (): never => {
      throw new Error('mine');
    };
    await using client = await connect(server, {
      protocolVersions: [revision],
      strict: true,
      logLevel: 'debug',
      onLog: fail,
      onWarning: (error) => faults.push(error),
    });
    const result = await client.tools.call('chatter', {}, { onProgress: fail });
    expect(result.content).toMatchObject([{ text: 'done' }]);
    expect(faults).toMatchObject([{ code: 'callback-failed' }, { code: 'callback-failed' }]);
  });
});

describe('A server that answers a handshake with a revision that has none', () => {
  it.each([[protocolVersions], [protocolVersions.slice(0, 4)]])(
    'is refused in words that say so, to %j',
    async (revisions) => {
      const raw = scriptedServer(
        session({ revision: '2026-07-28' }, (message, send) => {
          if (message.id !== undefined)
            send({ jsonrpc: '2.0', id: message.id, error: { code: -32601, message: 'no' } });
        }),
      );
      const failure = await connect(raw.channel, { protocolVersions: revisions }).catch((error: Error) => error);
      expect(failure).toMatchObject({
        code: 'protocol-version-mismatch',
        message: expect.stringMatching(/answered initialize with 2026-07-28, a protocol version without initialize/),
      });
    },
  );
});

describe('A question in a result that this client does not answer', () => {
  it('is named to the caller as a failure of this side', async () => {
    const inputRequests = { mood: { method: 'sampling/createMessage', params: { messages: [], maxTokens: 1 } } };
    const { client } = scriptedAt('2026-07-28', { tools: {} }, () => ({ resultType: 'input_required', inputRequests }));
    await expect((await client).tools.call('it')).rejects.toMatchObject({
      name: 'TenonError',
      code: 'server-request-failed',
      message: expect.stringMatching(/sampling\/createMessage.*"mood"/),
      details: { method: 'sampling/createMessage', key: 'mood' },
      cause: { reason: 'method-not-found' },
    });
  });

  it('since its user said no keeps what was said as the cause', async () => {
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
  ['a time that is a text', { timeoutMs: '5' }],
  ['a whole time that is a text', { maxTotalTimeoutMs: '5' }],
  ['a controller for its signal', { signal: new AbortController(), maxTotalTimeoutMs: 5 }],
  ['a text for its signal', { signal: 'stop' }],
])('A call with %s is refused by name before it is sent', async (_, options) => {
  const server = scriptedServer(session({ capabilities: { tools: {} } }, () => {}));
  await using client = await connect(server.channel, { protocolVersions: ['2025-11-25'] });
  await expect(client.tools.call('a', {}, options as never)).rejects.toMatchObject({ code: 'invalid-argument' });
  expect(server.methods()).not.toContain('tools/call');
});
