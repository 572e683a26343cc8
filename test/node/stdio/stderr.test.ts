/** Standard error: servers and clients survive when its reader closes, and buffer little when it is not read. */

import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process';
import { once } from 'node:events';
import { connect, type TenonError, toText } from 'tenon';
import { afterEach, beforeAll, describe, expect, it } from 'vitest';
import { bundledProgram } from '../../kit/process/bundled-program.ts';
import { program, rawServerScript } from '../../kit/process/node-script.ts';
import { call, endAll, resultText, startRaw } from '../../kit/process/raw-process.ts';
import { withTimeout } from '../../kit/with-timeout.ts';

let client = '';
let printing = '';
beforeAll(async () => {
  [client, printing] = await Promise.all([bundledProgram('relaying-client'), bundledProgram('printing-server')]);
});

let present: ChildProcessWithoutNullStreams | undefined;
afterEach(() => {
  endAll();
  present?.kill('SIGKILL');
});

async function reportOf(child: ChildProcessWithoutNullStreams): Promise<{ texts: string[] }> {
  present = child;
  const ended = Promise.all([child.stdout.setEncoding('utf8').toArray(), once(child, 'exit')]);
  const [text, [code]] = await withTimeout(ended, 'the report of the client', 60_000);
  expect(code).toBe(0);
  return JSON.parse(text.join(''));
}

describe('a client that forwards the standard error of its server', () => {
  it('does not read more than its own reader reads', async () => {
    const flood = `
      let written = 0;
      const line = 'e'.repeat(999) + '\\n';
      const pour = () => {
        while (process.stderr.write(line.repeat(100))) written += 100_000;
        written += 100_000;
        process.stderr.once('drain', pour);
      };
      pour();
    `;
    const child = spawn(process.execPath, [client, rawServerScript('reply(String(written))', flood), '1000']);
    child.stderr.pause();
    const counts = (await reportOf(child)).texts.map(Number);
    expect(new Set(counts.slice(-20)).size).toBe(1);
    expect(counts.at(-1)).toBeLessThan(5_000_000);
  });

  it('survives when its own standard error is closed', async () => {
    const child = spawn(process.execPath, [client, rawServerScript(`console.error('log'); reply('fine')`), '5']);
    child.stderr.destroy();
    expect((await reportOf(child)).texts).toEqual(Array.from({ length: 5 }, () => 'fine'));
  });
});

describe('a server', () => {
  it('survives when the reader of its standard error closes', async () => {
    const server = startRaw(printing);
    server.child.stderr.destroy();
    for (const id of [1, 2, 3]) {
      server.send(call(id, 'log'));
      expect(resultText(await server.answer(id))).toBe('logged');
    }
    server.child.stdin.end();
    expect((await server.ended).signal).toBeNull();
  });
});

describe('a stderr callback', () => {
  it('may throw: the error is passed to onWarning, and the next lines still arrive', async () => {
    const warnings: TenonError[] = [];
    const lines: string[] = [];
    const stderr = (line: string): void => {
      lines.push(line);
      throw new Error('in my function');
    };
    const script = rawServerScript(`console.error('one\\ntwo'); reply('fine')`);
    const options = {
      protocolVersions: ['2025-06-18'] as const,
      onWarning: (error: Error) => warnings.push(error as TenonError),
    };
    const open = await connect(program(script, { stderr }), options);
    expect(toText(await open.tools.call('any'))).toBe('fine');
    await open.close();
    expect(lines).toEqual(['one', 'two']);
    expect(warnings.map(({ code }) => code)).toEqual(['callback-failed', 'callback-failed']);
  });

  it('gets long lines whole; only the lines stored for errors are cut', async () => {
    const lines: string[] = [];
    const script = `console.error('x'.repeat(5000)); process.exit(1)`;
    const failing = connect(program(script, { stderr: (line) => lines.push(line) }), {
      protocolVersions: ['2025-06-18'],
    });
    const error = (await failing.catch((reason: TenonError) => reason)) as TenonError;
    expect(lines.map((line) => line.length)).toEqual([5000]);
    expect((error.details.stderr as string[]).map((line) => line.length)).toEqual([1000]);
  });
});
