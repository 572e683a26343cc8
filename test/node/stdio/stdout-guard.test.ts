/** Standard output carries only the protocol, whatever the code of a server prints. */
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

let file = '';
beforeAll(async () => {
  file = await bundledProgram('printing-server');
});
afterEach(endAll);

/** Runs the tools of the server, closes it, and returns its process and answers. */
async function printed(): Promise<RawProcess & { answers: Json[] }> {
  const server = startRaw(file);
  server.send(call(1, 'print'), call(2, 'print'), call(3, 'promised'));
  const answers = [await server.answer(1), await server.answer(2), await server.answer(3)];
  server.child.stdin.end();
  expect(await server.ended).toEqual({ code: 0, signal: null });
  return Object.assign(server, { answers });
}

const count = (text: string, part: string): number => text.split(part).length - 1;

describe('a server whose code prints', () => {
  it('writes only messages to standard output until it has closed [s-stdio-06, e-stdio-05, S19]', async () => {
    const { lines, answers } = await printed();
    const end = lines.indexOf('printed after the end');
    expect(messagesIn(lines.slice(0, end))).toEqual(answers);
    expect(lines.slice(end)).toEqual(['printed after the end', 'written after the end']);
  });

  it('prints to standard error instead, by every API and from the first import on [s-stdio-03]', async () => {
    const { answers, stderr } = await printed();
    expect(stderr()).toContain('printed at import');
    expect(stderr()).toContain('written at import');
    const ways = resultText(answers[0] ?? {})?.split(',') ?? [];
    const written = stderr()
      .split('\n')
      .map((line) => line.replaceAll("'", ''));
    expect(ways.length).toBe(15);
    for (const way of ways) expect(written.filter((line) => line === `by ${way}`)).toHaveLength(2);
    for (const n of [0, 1, 2]) expect(count(stderr(), `by a logger ${n}`)).toBe(2);
  });

  it('gets one warning for each place in the code', async () => {
    const { stderr } = await printed();
    const warnings = stderr()
      .split('\n')
      .filter((line) => line.includes('wrote to standard output'));
    expect(warnings.length).toBeGreaterThanOrEqual(13);
    expect(new Set(warnings).size).toBe(warnings.length);
    // A stream that is still opening writes later, without the caller on the stack.
    const unknown = warnings.filter((warning) => !/printing-server\.mjs:\d+:\d+/.test(warning));
    expect(unknown).toEqual([expect.stringContaining('unknown code')]);
  });

  it('gets the usual values from promises', async () => {
    const { answers } = await printed();
    expect(resultText(answers[2] ?? {})).toBe(String('by a promise\n'.length));
  });

  it('leaves no listener on the streams and the process when it closes and the process continues', async () => {
    const { stderr } = await printed();
    const [, serving, left] = /listeners (\d+) then (\d+)/.exec(stderr()) ?? [];
    expect(Number(serving)).toBeGreaterThan(Number(left));
    // Node has a listener of its own on standard input.
    expect(Number(left)).toBeLessThanOrEqual(2);
  });
});
