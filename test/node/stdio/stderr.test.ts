/** Standard error: servers and clients outlive whoever reads it, and do not run full where nobody does. */

import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process';
import { once } from 'node:events';
import { connect, type TenonError, toText } from 'tenon';
import { afterEach, beforeAll, describe, expect, it } from 'vitest';
import { bundledProgram } from '../../kit/process/bundled-program.ts';
import { byHand, program } from '../../kit/process/node-script.ts';
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

async function notified(child: ChildProcessWithoutNullStreams): Promise<{ said: string[] }> {
  present = child;
  const ended = Promise.all([child.stdout.setEncoding('utf8').toArray(), once(child, 'exit')]);
  const [text, [code]] = await withTimeout(ended, 'the client to tell', 60_000);
  expect(code).toBe(0);
  return JSON.parse(text.join(''));
}

describe('a client that passes on what its server writes', () => {
  it('does not take more than is read from itself', async () => {
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
    const child = spawn(process.execPath, [client, byHand('reply(String(written))', flood), '1000']);
    child.stderr.pause();
    const counts = (await notified(child)).said.map(Number);
    expect(new Set(counts.slice(-20)).size).toBe(1);
    expect(counts.at(-1)).toBeLessThan(5_000_000);
  });

  it('outlives the end of its own standard error', async () => {
    const child = spawn(process.execPath, [client, byHand(`console.error('log'); reply('fine')`), '5']);
    child.stderr.destroy();
    expect((await notified(child)).said).toEqual(Array.from({ length: 5 }, () => 'fine'));
  });
});

describe('a server', () => {
  it('outlives whoever read its standard error', async () => {
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

describe('a function that hears standard error', () => {
  it('may throw: the fault is told, and the lines after it are heard', async () => {
    const faults: TenonError[] = [];
    const received: string[] = [];
    const stderr = (line: string): void => {
      received.push(line);
      throw new Error('in my function');
    };
    const script = byHand(`console.error('one\\ntwo'); reply('fine')`);
    const options = {
      protocolVersions: ['2025-06-18'] as const,
      onWarning: (error: Error) => faults.push(error as TenonError),
    };
    const open = await connect(program(script, { stderr }), options);
    expect(toText(await open.tools.call('any'))).toBe('fine');
    await open.close();
    expect(received).toEqual(['one', 'two']);
    expect(faults.map(({ code }) => code)).toEqual(['callback-failed', 'callback-failed']);
  });

  it('hears long lines whole; only what is kept for errors is cut', async () => {
    const received: string[] = [];
    const script = `console.error('x'.repeat(5000)); process.exit(1)`;
    const failing = connect(program(script, { stderr: (line) => received.push(line) }), {
      protocolVersions: ['2025-06-18'],
    });
    const error = (await failing.catch((reason: TenonError) => reason)) as TenonError;
    expect(received.map((line) => line.length)).toEqual([5000]);
    expect((error.details.stderr as string[]).map((line) => line.length)).toEqual([1000]);
  });
});
