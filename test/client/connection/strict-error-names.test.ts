/** A server that cannot be connected to is named as a person knows it, by its command or its address. */

import { type ConnectOptions, RpcError, TenonError } from 'tenon';
import { describe, expect, it } from 'vitest';
import { buildConnectedClient } from '../../../src/client/client-core.ts';
import type { ConnectionOptions } from '../../../src/client/connection/connection.ts';
import { type Connector } from '../../../src/client/connection/connector.ts';
import type { NamedServer } from '../../../src/client/connection/open-failures.ts';
import { answer, mute, refuse, type Script, scriptedServer, session } from '../../kit/channel/scripted-server.ts';

const weather: NamedServer = { name: 'node weather.mjs', details: { url: 'x://weather' } };

/** What connecting by one attempt comes to. */
async function failure(script: Script, options: ConnectOptions = {}, own: ConnectionOptions = { server: weather }) {
  const { channel } = scriptedServer(script);
  const reach: Connector = { reconnects: false, connect: (open) => open(channel, own) };
  const given: ConnectOptions = { protocolVersions: ['2025-06-18'], onWarning: () => {}, ...options };
  return buildConnectedClient(reach, given).then(
    () => expect.unreachable('It connected.'),
    (reason: TenonError | RpcError) => reason,
  );
}

describe('A failure to connect names the server', () => {
  const refusing: Script = (message, send) => send(refuse(message, -32000, { why: 'closed' }));
  const cases: ReadonlyArray<readonly [string, Script, ConnectOptions, string, string]> = [
    [
      'that knows only another revision',
      session({ revision: '2023-01-01' }, mute),
      {},
      'protocol-version-mismatch',
      'Add one of',
    ],
    ['whose greeting has the wrong shape', (message, send) => send(answer(message, {})), {}, 'invalid-result', ''],
    [
      'that prints, in strict mode',
      (_message, send) => send('Hello'),
      { strict: true },
      'invalid-json',
      'standard error',
    ],
    [
      'whose greeting names a key twice, in strict mode',
      (_message, send) => send('{"jsonrpc":"2.0","id":1,"id":1,"result":{}}'),
      { strict: true },
      'duplicate-key',
      'Fix the server',
    ],
    [
      'whose greeting comes in a batch, in strict mode',
      (message, send) => send([answer(message, {})]),
      { strict: true },
      'invalid-message',
      'Fix the server',
    ],
    ['that gives back what it reads', (message, send) => send(message), {}, 'invalid-message', 'cat'],
    [
      'without what is expected',
      session({}, mute),
      { requiredCapabilities: ['tools'] },
      'capability-not-supported',
      '',
    ],
    [
      'whose message is too large, in strict mode',
      (_message, send) => send('x'.repeat(2000)),
      { strict: true, limits: { maxMessageChars: 1000 } },
      'message-too-large',
      'limits.maxMessageChars',
    ],
  ];

  it.each(cases)('%s', async (_, script, options, code, hint) => {
    const named = await failure(script, options);
    expect(named).toMatchObject({ name: 'TenonError', code, details: { url: 'x://weather' } });
    expect(named.message).toMatch(/^Cannot connect to node weather\.mjs: /);
    expect((named as TenonError).hint ?? '').toContain(hint);
    // The hint stands in the message once.
    expect(hint === '' || named.message.split(hint).length === 2).toBe(true);
  });

  it('and shows the line that a strict connection ended by', async () => {
    const line = '{"jsonrpc":"2.0","id":1,"id":1,"result":{}}';
    const named = await failure((_message, send) => send(line), { strict: true });
    expect(named).toMatchObject({ code: 'duplicate-key', details: { line, url: 'x://weather' } });
    expect(named.message).toContain(line);
  });

  it('that answers by an error, which stays what it is', async () => {
    const named = await failure(refusing);
    expect(named).toBeInstanceOf(RpcError);
    expect(named).toMatchObject({ code: -32000, data: { why: 'closed' }, reason: 'unknown', fromPeer: true });
    expect(named.message).toBe('node weather.mjs answered by an error: refused with -32000');
  });

  it('only where it has a name', async () => {
    expect((await failure(refusing, {}, {})).message).toBe('refused with -32000');
    expect((await failure(session({ revision: '2023-01-01' }, mute), {}, {})).message).toMatch(
      /^No common protocol version/,
    );
  });

  it('not a second time where the failure has the address already', async () => {
    const tooMuch = new TenonError('message-too-large', 'x://weather said too much.', {
      details: { url: 'x://weather' },
    });
    const { channel } = scriptedServer(mute);
    const reach: Connector = {
      reconnects: false,
      connect(open) {
        const opening = open(channel, { server: weather });
        channel.close(tooMuch);
        return opening;
      },
    };
    await expect(buildConnectedClient(reach, {})).rejects.toMatchObject({ code: 'connection-closed', cause: tooMuch });
  });
});
