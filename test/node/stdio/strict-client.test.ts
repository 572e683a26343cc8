/** A strict client and a server process that breaks the rules: the first invalid message is the end, without a restart. */
import { createClient, type TenonError } from 'tenon';
import { describe, expect, it } from 'vitest';
import { program, rawServerScript } from '../../kit/process/node-script.ts';
import { withTimeout } from '../../kit/with-timeout.ts';

/** A client of the script, with the states of its connection and the lines of its standard error. */
function strictClient(script: string) {
  const states: string[] = [];
  const lines: string[] = [];
  const reasons: Array<Error | undefined> = [];
  const client = createClient(program(script, { stderr: (line) => lines.push(line) }), {
    strict: true,
    timeoutMs: 600_000,
    reconnect: { initialDelayMs: 1, maxDelayMs: 1 },
    onWarning: () => {},
    onClose: (reason) => reasons.push(reason),
  });
  client.connection.on('state', ({ to }) => states.push(to));
  return { client, states, lines, reasons };
}

const started = `console.error('started')`;

describe('a strict client', () => {
  it('fails at once, and does not start the server again, if it prints before the handshake [S25]', async () => {
    const { client, states, lines, reasons } = strictClient(rawServerScript('', `${started}; print('Welcome')`));
    const failure = { code: 'invalid-json', details: { line: 'Welcome', strict: true } };
    await expect(withTimeout(client.tools.call('any'), 'the call to fail')).rejects.toMatchObject(failure);
    await expect(client.tools.call('any')).rejects.toMatchObject(failure);
    expect(states).toEqual(['connecting', 'closed']);
    expect(reasons).toMatchObject([failure]);
    await client.close();
    expect(lines).toEqual(['started']);
  });

  it('is closed for good by noise after the handshake [S25]', async () => {
    const { client, states, lines } = strictClient(rawServerScript(`print('Warning'); reply('late')`, started));
    const call = client.tools.call('any').catch((error: TenonError) => error);
    expect(await withTimeout(call, 'the call to fail')).toMatchObject({
      code: 'outcome-unknown',
      cause: { code: 'invalid-json', details: { line: 'Warning' } },
    });
    await expect(client.tools.call('any')).rejects.toMatchObject({
      code: 'connection-closed',
      cause: { details: { line: 'Warning', strict: true } },
    });
    expect(states).toEqual(['connecting', 'ready', 'closed']);
    await client.close();
    expect(lines).toEqual(['started']);
  });

  it('answers an unknown method with -32601, then closes [S25]', async () => {
    const received = `if (message.id === 9) return console.error('answered ' + message.error.code);`;
    const script = `${received} print('{"jsonrpc":"2.0","id":9,"method":"what/ever"}')`;
    const { client, states, lines, reasons } = strictClient(rawServerScript(script));
    const call = client.tools.call('any').catch((error: TenonError) => error);
    expect(await withTimeout(call, 'the call to fail')).toMatchObject({ cause: { code: 'invalid-message' } });
    expect(reasons[0]?.message).toContain('Method not found: what/ever');
    await client.close();
    expect(lines).toEqual(['answered -32601']);
    expect(states).toEqual(['connecting', 'ready', 'closed']);
  });
});
