/** An error of connecting names the server as the user configured it, by its command or its URL. */

import { type ConnectOptions, RpcError, TenonError } from 'tenon';
import { describe, expect, it } from 'vitest';
import { buildConnectedClient } from '../../../src/client/client-core.ts';
import type { ConnectionOptions } from '../../../src/client/connection/connection.ts';
import { type Connector } from '../../../src/client/connection/connector.ts';
import type { NamedServer } from '../../../src/client/connection/open-failures.ts';
import { answer, mute, refuse, type Script, scriptedServer, session } from '../../kit/transport/scripted-server.ts';

const weather: NamedServer = { name: 'node weather.mjs', details: { url: 'x://weather' } };

/** The error of one attempt to connect. */
async function failure(script: Script, options: ConnectOptions = {}, own: ConnectionOptions = { server: weather }) {
  const { transport } = scriptedServer(script);
  const reach: Connector = { reconnects: false, connect: (open) => open(transport, own) };
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
      'that supports only another revision',
      session({ revision: '2023-01-01' }, mute),
      {},
      'protocol-version-mismatch',
      'Add one of',
    ],
    ['whose initialize result is invalid', (message, send) => send(answer(message, {})), {}, 'invalid-result', ''],
    [
      'that prints text, in strict mode',
      (_message, send) => send('Hello'),
      { strict: true },
      'invalid-json',
      'standard error',
    ],
    [
      'whose initialize response has a duplicate key, in strict mode',
      (_message, send) => send('{"jsonrpc":"2.0","id":1,"id":1,"result":{}}'),
      { strict: true },
      'duplicate-key',
      'Fix the server',
    ],
    [
      'whose initialize response is in a batch, in strict mode',
      (message, send) => send([answer(message, {})]),
      { strict: true },
      'invalid-message',
      'Fix the server',
    ],
    ['that echoes its input', (message, send) => send(message), {}, 'invalid-message', 'cat'],
    [
      'without a required capability',
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
    // The message contains the hint once.
    expect(hint === '' || named.message.split(hint).length === 2).toBe(true);
  });

  it('and shows the line that closed a strict connection', async () => {
    const line = '{"jsonrpc":"2.0","id":1,"id":1,"result":{}}';
    const named = await failure((_message, send) => send(line), { strict: true });
    expect(named).toMatchObject({ code: 'duplicate-key', details: { line, url: 'x://weather' } });
    expect(named.message).toContain(line);
  });

  it('that answers with an error, and keeps the fields of the error', async () => {
    const named = await failure(refusing);
    expect(named).toBeInstanceOf(RpcError);
    expect(named).toMatchObject({ code: -32000, data: { why: 'closed' }, reason: 'unknown', fromPeer: true });
    expect(named.message).toBe('node weather.mjs answered by an error: refused with -32000');
  });

  it('only if it has a name', async () => {
    expect((await failure(refusing, {}, {})).message).toBe('refused with -32000');
    expect((await failure(session({ revision: '2023-01-01' }, mute), {}, {})).message).toMatch(
      /^No common protocol version/,
    );
  });

  it('not a second time if the error already has the URL', async () => {
    const tooMuch = new TenonError('message-too-large', 'x://weather sent too much.', {
      details: { url: 'x://weather' },
    });
    const { transport } = scriptedServer(mute);
    const reach: Connector = {
      reconnects: false,
      connect(open) {
        const opening = open(transport, { server: weather });
        transport.close(tooMuch);
        return opening;
      },
    };
    await expect(buildConnectedClient(reach, {})).rejects.toMatchObject({ code: 'connection-closed', cause: tooMuch });
  });
});
