/** If a server cannot be started, does not answer or answers wrongly, the error says what happened and what to do. */
import { chmodSync, mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type CommandTarget, type ConnectOptions, connect, type TenonError } from 'tenon';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { createFakeClock } from '../../../src/lib/time/fake-clock.ts';
import { withClock } from '../../../src/lib/time/internal-deadlines.ts';
import { deferred } from '../../kit/deferred.ts';
import { withFixed } from '../../kit/fixed-limits.ts';
import { program, rawServerScript, staying } from '../../kit/process/node-script.ts';
import { withTimeout } from '../../kit/with-timeout.ts';

let folder = '';
beforeAll(() => {
  folder = realpathSync(mkdtempSync(join(tmpdir(), 'tenon-failures-')));
  writeFileSync(join(folder, 'no-program'), 'text');
  writeFileSync(join(folder, 'no-interpreter'), '#!/no/such/interpreter\n');
  chmodSync(join(folder, 'no-interpreter'), 0o755);
});
afterAll(() => rmSync(folder, { recursive: true }));

const quick: ConnectOptions = { timeoutMs: 2000, timeouts: withFixed({}, { discoveryMs: 1000 }) };

async function failure(command: CommandTarget, options: ConnectOptions = {}): Promise<TenonError> {
  try {
    const client = await connect(command, { onWarning: () => {}, ...options });
    await client.close();
  } catch (error) {
    return error as TenonError;
  }
  throw new Error('It connected.');
}

/** Time passes for `connect` only once the program has printed something, however long it takes to start. */
async function timeout(command: CommandTarget): Promise<TenonError> {
  const clock = createFakeClock();
  const printed = deferred();
  const options = { ...quick, ...withClock(clock), onWarning: () => printed.resolve() };
  let isOver = false;
  const failing = failure({ ...command, stderr: () => printed.resolve() }, options).finally(() => (isOver = true));
  await withTimeout(printed.promise, 'the program to print');
  await expect
    .poll(() => {
      clock.advance(500);
      return isOver;
    })
    .toBe(true);
  return failing;
}

interface Case {
  readonly what: string;
  readonly command: () => CommandTarget;
  /** `timeout` if it is too slow. */
  readonly options?: ConnectOptions | 'timeout';
  readonly code: TenonError['code'];
  readonly details?: object;
  /** Texts that the message has to contain. */
  readonly shows: readonly (string | RegExp)[];
}

/** The message begins with the command. */
const named = /^Cannot connect to \S*node\S* -e .*: /;

const cases: readonly Case[] = [
  {
    what: 'a command that is not in PATH',
    command: () => ({ command: 'tenon-no-such-command', env: { PATH: '/first:/second' } }),
    code: 'command-not-found',
    details: { places: ['/first/tenon-no-such-command', '/second/tenon-no-such-command'] },
    shows: ['/first/tenon-no-such-command', '/second/tenon-no-such-command', 'Install it'],
  },
  {
    what: 'a command with its arguments in it',
    command: () => ({ command: 'node server.mjs --port 1' }),
    code: 'command-not-found',
    shows: [`write { command: 'node', args: ['server.mjs', '--port', '1'] }`],
  },
  {
    what: 'a server with secrets in its arguments, which are not shown',
    command: () => program('process.exit(1)', { args: ['--api-key=sesame', '--token', 'sesame', 'API_KEY=sesame'] }),
    code: 'server-exited',
    shows: [/--api-key=… --token … API_KEY=… exited with code 1/],
  },
  {
    what: 'a file that cannot be run',
    command: () => ({ command: './no-program', cwd: folder }),
    code: 'command-not-found',
    shows: [/no-program exists but is not an executable file/, 'chmod +x'],
  },
  {
    what: 'a script whose interpreter is missing',
    command: () => ({ command: './no-interpreter', cwd: folder }),
    code: 'command-not-found',
    shows: ['no-interpreter could not be started', 'ENOENT'],
  },
  {
    what: 'a folder that does not exist',
    command: () => ({ command: 'node', cwd: join(folder, 'missing') }),
    code: 'command-not-found',
    shows: [/does not exist: .*missing/, '"cwd"'],
  },
  {
    what: 'more arguments than the system takes',
    command: () => ({ command: process.execPath, args: Array.from({ length: 40 }, () => 'x'.repeat(130_000)) }),
    code: 'spawn-failed',
    shows: ['E2BIG'],
  },
  {
    what: 'a server that exits with a code',
    command: () => program(`console.error('first'); console.error('API_KEY is not set'); process.exit(3)`),
    code: 'server-exited',
    details: { code: 3, signal: null, stderr: ['first', 'API_KEY is not set'] },
    shows: ['with code 3', 'first\n    API_KEY is not set', 'Run the command in a terminal'],
  },
  {
    what: 'a server that exits after lines of which one is empty',
    command: () => program(`console.error('a\\n\\nb'); process.exit(3)`),
    code: 'server-exited',
    shows: ['standard error:\n    a\n    \n    b\n  Run the command'],
  },
  {
    what: 'a server that exits without output',
    command: () => program('process.exit(0)'),
    code: 'server-exited',
    details: { code: 0, stderr: [] },
    shows: ['with code 0', 'wrote nothing to its standard error'],
  },
  {
    what: 'a server that dies of a signal',
    command: () => program(`process.stderr.write('about to'); process.kill(process.pid, 'SIGKILL')`),
    code: 'server-exited',
    details: { code: null, signal: 'SIGKILL', stderr: ['about to'] },
    shows: ['by SIGKILL', 'about to'],
  },
  {
    what: 'a program that prints and is not an MCP server',
    command: () =>
      program(`console.log(['Listening', 'on', 'port 3000'].join(' ')); ${staying}`, { exitTimeoutMs: 50 }),
    options: 'timeout',
    code: 'timeout',
    details: { stdout: ['Listening on port 3000'] },
    shows: ['Listening on port 3000', 'server/discover, then initialize', 'standard input and output'],
  },
  {
    what: 'a program that logs JSON to its standard output',
    command: () =>
      program(`console.log(JSON.stringify({ level: 30, msg: 'listening' })); ${staying}`, { exitTimeoutMs: 50 }),
    options: 'timeout',
    code: 'timeout',
    shows: ['{"level":30,"msg":"listening"}'],
  },
  {
    what: 'a program that does not answer',
    command: () => program(`console.error('waiting for a terminal'); ${staying}`, { exitTimeoutMs: 50 }),
    options: 'timeout',
    code: 'timeout',
    details: { method: 'initialize', timeoutMs: 2000, stderr: ['waiting for a terminal'], stdout: [] },
    shows: [
      'initialize had no answer within 2000 ms',
      'wrote nothing to its standard output',
      'waiting for a terminal',
    ],
  },
  {
    what: 'a server that supports only another protocol version',
    command: () => program(rawServerScript('', '').replace('2025-06-18', '2023-01-01')),
    code: 'protocol-version-mismatch',
    details: { offered: ['2023-01-01'] },
    shows: [named, '2023-01-01', '2025-06-18', '"protocolVersions"'],
  },
  {
    what: 'a line that is not JSON, in strict mode [S25]',
    command: () => program(rawServerScript('', `print('Hello from the server')`)),
    options: { strict: true },
    code: 'invalid-json',
    details: { line: 'Hello from the server' },
    shows: [named, 'Hello from the server', 'must print to its standard error', 'without "strict"'],
  },
  {
    what: 'a line that is JSON but not a message, in strict mode [S25]',
    command: () => program(rawServerScript('', `print('{"level":30,"msg":"hello"}')`)),
    options: { strict: true },
    code: 'invalid-message',
    shows: ['{"level":30,"msg":"hello"}'],
  },
  {
    what: 'a line that is not UTF-8, in strict mode [S25]',
    command: () => program(rawServerScript('', `process.stdout.write(Buffer.from([0xff, 0xfe, 0x0a]))`)),
    options: { strict: true },
    code: 'invalid-utf8',
    details: { bytes: 2, line: '\ufffd\ufffd' },
    shows: [named, '2 bytes', '\ufffd\ufffd', /UTF-8(?!.*was dropped)/, '"strict"'],
  },
  {
    what: 'an empty batch, in strict mode [S25]',
    command: () => program(rawServerScript('', `print('[ ]')`)),
    options: { strict: true },
    code: 'invalid-message',
    details: { line: '[ ]' },
    shows: ['[ ]', '"strict"'],
  },
  {
    what: 'a batch in a protocol version without batches, in strict mode [S25]',
    command: () => program(rawServerScript('', `print('[{"jsonrpc":"2.0","method":"n"}]')`)),
    options: { strict: true },
    code: 'invalid-message',
    details: { line: '[{"jsonrpc":"2.0","method":"n"}]' },
    shows: ['[{"jsonrpc":"2.0","method":"n"}]', '"strict"'],
  },
  {
    what: 'a duplicate key, in strict mode [S25]',
    command: () => program(rawServerScript('', `print('{"jsonrpc":"2.0","method":"n","method":"n"}')`)),
    options: { strict: true },
    code: 'duplicate-key',
    details: { line: '{"jsonrpc":"2.0","method":"n","method":"n"}' },
    shows: ['{"jsonrpc":"2.0","method":"n","method":"n"}', 'Fix the server'],
  },
  {
    what: 'a line that never ends',
    command: () => program(rawServerScript('', `process.stdout.write('x'.repeat(4000))`)),
    options: { limits: { maxMessageChars: 1000 } },
    code: 'message-too-large',
    shows: [named, '1000 characters', 'limits.maxMessageChars'],
  },
  {
    what: 'an invalid result of the handshake',
    command: () => program(rawServerScript('', '').replace('result: greeting', 'result: {}')),
    code: 'invalid-result',
    shows: [named, 'protocolVersion'],
  },
];

describe('connecting fails', () => {
  for (const { what, command, options = {}, code, details = {}, shows } of cases) {
    it(`with its own error code: ${what}`, async () => {
      const error = options === 'timeout' ? await timeout(command()) : await failure(command(), options);
      expect(error).toMatchObject({ code, details });
      for (const part of shows) expect(error.message).toMatch(part instanceof RegExp ? part : literal(part));
    });
  }

  it('with an RpcError if the server answers the handshake with an error', async () => {
    const refusing = rawServerScript('', '').replace(
      '{ result: greeting }',
      `{ error: { code: -32000, message: 'Closed' } }`,
    );
    const error = await failure(program(refusing));
    expect(error).toMatchObject({ name: 'RpcError', code: -32000, reason: 'unknown' });
    expect(error.message).toMatch(/^\S*node\S* -e .* answered by an error: Closed$/);
  });

  it('and leaves no process: the server is stopped before the error is thrown', async () => {
    const pidFile = join(folder, 'pid');
    const script = `require('node:fs').writeFileSync(${JSON.stringify(pidFile)}, String(process.pid)); console.error('started'); ${staying}`;
    await timeout(program(script, { exitTimeoutMs: 50 }));
    const pid = Number(readFileSync(pidFile, 'utf8'));
    expect(() => process.kill(pid, 0)).toThrow('ESRCH');
  });
});

const literal = (text: string): RegExp => new RegExp(text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&'));

describe('a server that exits at server/discover', () => {
  const dying = (file: string): string =>
    rawServerScript('', `require('node:fs').appendFileSync(${JSON.stringify(file)}, 'start ')`).replace(
      /if \(message\.method === 'server\/discover'\).*/,
      `if (message.method !== 'notifications/initialized') process.exit(1);`,
    );
  const starts = (file: string): number => readFileSync(file, 'utf8').split(' ').length - 1;

  it('is started a second time, for the handshake, and not a third time', async () => {
    const file = join(folder, 'starts');
    const client = await connect(program(dying(file)));
    expect(client.protocolVersion).toBe('2025-06-18');
    expect(starts(file)).toBe(2);
    await client.close();
  });

  it('is not started again if no version with a handshake is accepted, or if the handshake came first', async () => {
    const exchange = join(folder, 'exchange-starts');
    expect(await failure(program(dying(exchange)), { protocolVersions: ['2026-07-28'] })).toMatchObject({
      code: 'server-exited',
    });
    expect(starts(exchange)).toBe(1);
    const session = join(folder, 'session-starts');
    const always = dying(session).replace('return answer({ result: greeting })', 'process.exit(1)');
    expect(await failure(program(always), { protocolVersions: ['2025-06-18'] })).toMatchObject({
      code: 'server-exited',
    });
    expect(starts(session)).toBe(1);
  });

  it('fails with the standard error of its second process', async () => {
    const file = join(folder, 'twice-starts');
    const script = `
      const fs = require('node:fs');
      fs.appendFileSync(${JSON.stringify(file)}, 'start ');
      console.error('try ' + fs.readFileSync(${JSON.stringify(file)}, 'utf8').length);
      process.exit(1);
    `;
    expect(await failure(program(script))).toMatchObject({ code: 'server-exited', details: { stderr: ['try 12'] } });
    expect(starts(file)).toBe(2);
  });
});

describe('output of a server that is not a message', () => {
  const noisy = rawServerScript(
    `print('more noise'); print('{"noise":true}'); reply('fine'); print('[]')`,
    `print('starting up')`,
  );

  it('is passed to onWarning, counted and dropped in tolerant mode [S26]', async () => {
    const warnings: unknown[] = [];
    const client = await connect(program(noisy), { onWarning: (error) => warnings.push(error) });
    const answer = await client.tools.call('any');
    expect(answer.content).toMatchObject([{ text: 'fine' }]);
    expect((await client.tools.call('any')).content).toMatchObject([{ text: 'fine' }]);
    const codes = warnings.map((error) => (error as TenonError).code);
    const perCall: string[] = ['invalid-json', 'invalid-message', 'invalid-message'];
    expect(codes.slice(0, 6)).toEqual(['invalid-json', ...perCall, ...perCall.slice(0, 2)]);
    expect(client.stats().dropped.invalid).toBe(warnings.length);
    await client.close();
  });

  it('and not UTF-8 is passed to onWarning, counted and dropped as well [S26]', async () => {
    const warnings: unknown[] = [];
    const bytes = rawServerScript(`process.stdout.write(Buffer.from([0xff, 0xfe, 0x0a])); reply('fine')`);
    const client = await connect(program(bytes), { onWarning: (error) => warnings.push(error) });
    expect((await client.tools.call('any')).content).toMatchObject([{ text: 'fine' }]);
    expect(warnings).toMatchObject([{ code: 'invalid-utf8' }]);
    expect(client.stats().dropped.invalid).toBe(1);
    await client.close();
  });

  it('closes an open connection in strict mode, and waiting calls fail with the line [S25]', async () => {
    const late = rawServerScript(`print('Warning: deprecated'); reply('too late')`);
    const closed = vi.fn();
    const client = await connect(program(late), {
      strict: true,
      onClose: closed,
      onWarning: () => {},
      reconnect: false,
    });
    const error = await client.tools.call('any').catch((reason: TenonError) => reason);
    expect(error).toMatchObject({ code: 'outcome-unknown', cause: { code: 'invalid-json' } });
    expect((error as TenonError).message).toContain('Warning: deprecated');
    expect(closed).toHaveBeenCalledWith(expect.objectContaining({ code: 'invalid-json' }));
    await client.close();
  });

  it('on standard error is not a failure, however much it is [s-stdio-05, s-stdio-04]', async () => {
    const stderr: string[] = [];
    const loud = rawServerScript(`for (let n = 0; n < 1000; n++) console.error('error ' + n); reply('fine')`);
    const client = await connect(program(loud, { stderr: (line) => stderr.push(line) }), { strict: true });
    expect((await client.tools.call('any')).content).toMatchObject([{ text: 'fine' }]);
    await client.close();
    expect(stderr).toEqual(Array.from({ length: 1000 }, (_, n) => `error ${n}`));
  });
});
