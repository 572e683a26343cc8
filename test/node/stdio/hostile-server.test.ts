/** A client against a hostile server that sends thousands of hostile lines, or an endless line. */

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { beforeAll, expect, it } from 'vitest';
import { inWords, scaled } from '../../kit/long.ts';
import { bundledProgram } from '../../kit/process/bundled-program.ts';
import { withTimeout } from '../../kit/with-timeout.ts';

/** With many repetitions it takes long on a busy machine. */
const longestMs = scaled(240_000, 540_000);

let client = '';
let server = '';
beforeAll(async () => {
  [client, server] = await Promise.all([bundledProgram('hostile-server-client'), bundledProgram('hostile-server')]);
});

/** Runs the client until it exits by itself, and returns its report. */
async function run(mode: 'fire' | 'endless', calls = 0): Promise<Record<string, unknown>> {
  const child = spawn(process.execPath, ['--expose-gc', client, server, mode, String(calls)], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const ended = Promise.all([child.stdout.setEncoding('utf8').toArray(), once(child, 'close')]);
  try {
    const [text, [code]] = await withTimeout(ended, 'the client under attack', longestMs);
    expect(code).toBe(0);
    return JSON.parse(text.join(''));
  } finally {
    child.kill('SIGKILL');
  }
}

/** Each answer comes with a hundred hostile lines. */
const calls = scaled(300, 1000);

it(
  `a client survives ${inWords(calls * 100)} hostile lines, gets every answer once, and leaks no memory [S26]`,
  async () => {
    const { right, wrong, heaps, counts, warnings } = await run('fire', calls);
    expect(wrong).toEqual([]);
    expect(right).toBe(calls);
    const [first = 0, ...rest] = heaps as number[];
    const after = rest.at(-1) ?? 0;
    console.log(`Heap after a tenth ${Math.round(first / 1024)} kB, at the end ${Math.round(after / 1024)} kB.`);
    expect(after).toBeLessThan(first * 1.1);
    expect(warnings).toMatchObject({ 'invalid-json': expect.any(Number), 'invalid-message': expect.any(Number) });
    const { invalid, late, unknown } = counts as Record<string, number>;
    for (const count of [invalid, late, unknown]) expect(count).toBeGreaterThan(calls);
  },
  scaled(300_000, 600_000),
);

it('an endless line of 200 MB closes the connection with message-too-large, with little memory', async () => {
  const { code, cause, peak } = await run('endless');
  expect({ code, cause }).toEqual({ code: 'outcome-unknown', cause: 'message-too-large' });
  console.log(`The client needed ${Math.round((peak as number) / 1024)} MB at most.`);
  expect(peak).toBeLessThan(150 * 1024);
});
