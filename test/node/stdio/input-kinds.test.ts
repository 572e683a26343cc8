/** Kinds of input streams of a server: text, with a byte order mark, already closed; and kinds that are refused. */

import { PassThrough, Readable } from 'node:stream';
import { connect, createServer, type ServeStdioOptions, serveStdio, tool, toText } from 'tenon';
import { afterEach, beforeAll, describe, expect, it } from 'vitest';
import { bundledProgram } from '../../kit/process/bundled-program.ts';
import {
  call,
  endAll,
  type Json,
  messagesIn,
  type RawProcess,
  resultText,
  startRaw,
} from '../../kit/process/raw-process.ts';
import { withTimeout } from '../../kit/with-timeout.ts';

let file = '';
beforeAll(async () => {
  file = await bundledProgram('odd-streams');
});
afterEach(endAll);

const odd = (manner: string): RawProcess => startRaw(manner, { nodeArgs: [file] });

const greeting = 'Grüß Gott ☃';
const server = createServer({ name: 'here', version: '1', tools: { greet: tool({}, () => greeting) } });
const line = (id: number): string => `${JSON.stringify(call(id, 'greet', { of: greeting }))}\n`;

/** Serves an input until it ends; returns the answers and the reason of closing. */
async function served(input: Readable): Promise<{ answers: Json[]; reason: Error | undefined }> {
  const output = new PassThrough();
  const options: ServeStdioOptions = {
    stdin: input,
    stdout: output,
    timeouts: { shutdownMs: 1000 },
    onWarning: () => {},
  };
  const reason = await withTimeout(serveStdio(server, options).closed, 'the service to close');
  return {
    answers: messagesIn(
      String(output.read() ?? '')
        .split('\n')
        .slice(0, -1),
    ),
    reason,
  };
}

describe('an input', () => {
  it('may be text: a stream of strings', async () => {
    const { answers, reason } = await served(Readable.from([line(1), line(2)]));
    expect([answers.map(resultText), reason]).toEqual([[greeting, greeting], undefined]);
  });

  it('may be text: a stream with an encoding', async () => {
    const input = new PassThrough({ encoding: 'utf8' });
    for (const byte of Buffer.from(line(1))) input.write(Buffer.of(byte));
    input.end();
    expect((await served(input)).answers.map(resultText)).toEqual([greeting]);
  });

  it('may be text: standard input with an encoding', async () => {
    const program = odd('input is text');
    program.send(call(1, 'greet'));
    expect(resultText(await program.answer(1))).toBe(greeting);
    program.child.stdin.end();
    expect(await program.ended).toEqual({ code: 0, signal: null });
  });

  it.each([
    ['an object', { jsonrpc: '2.0' }],
    ['a number', 5],
  ])('that emits %s closes the service with invalid-argument', async (kind, given) => {
    const { answers, reason } = await served(Readable.from([line(1), given, line(2)]));
    expect(answers.map(resultText)).toEqual([greeting]);
    expect(reason).toMatchObject({ code: 'invalid-argument', message: expect.stringContaining(`gave ${kind}`) });
  });

  it('that is already closed closes the service', async () => {
    const [ended, destroyed] = [Readable.from([]).resume(), new PassThrough()];
    destroyed.destroy();
    await Promise.all([ended, destroyed].map((input) => new Promise((resolve) => input.once('close', resolve))));
    for (const input of [ended, destroyed]) expect(await served(input)).toEqual({ answers: [], reason: undefined });
  });

  it.each(['input has ended', 'input is destroyed'])(
    'of the process: where %s before serving, the process exits',
    async (manner) => {
      const program = odd(manner);
      if (manner === 'input has ended') program.child.stdin.end();
      expect(await program.ended).toEqual({ code: 0, signal: null });
      expect(program.stderr()).toBe('');
    },
  );
});

describe('a byte order mark', () => {
  it('is skipped by a server at the start of its input, and is an error elsewhere', async () => {
    const program = odd('');
    program.send(`\ufeff${JSON.stringify(call(1, 'greet'))}`, call(2, 'greet'));
    expect([resultText(await program.answer(1)), resultText(await program.answer(2))]).toEqual([greeting, greeting]);
    program.send(`\ufeff${JSON.stringify(call(3, 'greet'))}`);
    await program.wrote('JSON');
    program.child.stdin.end();
    expect(await program.ended).toEqual({ code: 0, signal: null });
  });

  it('is skipped by a client at the start of the server output', async () => {
    const warnings: Error[] = [];
    const command = { command: process.execPath, args: [file, 'output is marked'] };
    await using client = await connect(command, { onWarning: (error) => warnings.push(error) });
    expect(toText(await client.tools.call('greet'))).toBe(greeting);
    expect(warnings).toEqual([]);
  });
});
