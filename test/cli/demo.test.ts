/** Every command that has a server as its target, typed against the demo that `npm start` runs. */
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { Io } from '../../src/cli/io/io.ts';
import { type Demo, startDemo } from '../examples/demo-program.ts';
import { deferred } from '../kit/deferred.ts';
import { typed } from './terminal.ts';

let demo: Demo;
let url = '';
let folder = '';
beforeAll(async () => {
  demo = startDemo();
  folder = mkdtempSync(join(tmpdir(), 'tenon-demo-'));
  url = await demo.printed('ready ');
});
afterAll(async () => {
  await demo.kill();
  rmSync(folder, { recursive: true });
});

/** `URL` stands for the demo. */
const type = (line: string, own: Partial<Io> = {}) =>
  typed(line.replaceAll('URL', url).replaceAll('FOLDER', folder), { env: { HOME: folder }, cwd: folder, ...own });

it.each([
  ['tenon info URL', /^server +Tenon demo/m],
  ['tenon info URL --protocol-version 2024-11-05', /^protocol +2024-11-05$/m],
  ['tenon ping URL -n 2', /^(answered in [\d.]+ ms\n){2}$/],
  ['tenon tools URL', /^weather\(city: string\)\n {4}The weather in a city$/m],
  ['tenon resources URL', /^note:\/\/welcome/m],
  ['tenon templates URL', /^note:\/\/\{name\}\/upper/m],
  ['tenon prompts URL', /^plan\(city\)\n {4}A day in a city$/m],
  ['tenon call URL add a=2 b:=3', /5/],
  ['tenon call URL weather city=Oslo --json', /"ok":true/],
  ['tenon call URL forecast city=Oslo', /Monday/],
  ['tenon call URL chart city=Oslo --save FOLDER', /image\/png/],
  ['tenon read URL note://welcome', /\w/],
  ['tenon get URL plan city=Oslo', /Plan a day in Oslo/],
  ['tenon complete URL plan city=Ber', /^Bergen\nBerlin\n$/],
  ['tenon doctor URL', /negotiate/],
  ['tenon bench URL add a=1 b=2 -n 5 --seconds 600', /^calls +5, 1 at once/m],
  ['tenon types URL', /long_report/],
  ['tenon diff URL URL', /^No changes\.$/m],
])('%s', async (line, expected) => {
  const { code, out, err } = await type(line);
  expect([code, err]).toEqual([0, expect.not.stringMatching(/error/i)]);
  expect(out).toMatch(expected);
});

it('a call that asks is completed by tenon answer, in both lifecycles', async () => {
  for (const options of ['', ' --protocol-version 2025-11-25']) {
    const asked = await type(`tenon call URL book city=Oslo --json${options}`);
    expect(asked.code).toBe(5);
    const { id } = JSON.parse(asked.out).pending;
    expect((await type(`tenon answer ${id} people=2`)).out).toContain('Booked Oslo for 2');
  }
});

it('a report is started, listed and waited for as a task', async () => {
  const started = JSON.parse((await type('tenon call URL long_report chapters=1 pauseMs=400 --detach --json')).out);
  const { taskId } = started.result;
  expect((await type('tenon tasks URL')).out).toContain(taskId);
  expect(await type(`tenon tasks URL result ${taskId}`)).toMatchObject({
    code: 0,
    out: expect.stringContaining('Chapter 1'),
  });
});

it('repl runs several commands on one connection', async () => {
  const left = ['tools', 'add a=2 b=3', 'exit'];
  const { code, out } = await type('tenon repl URL', { canAsk: true, readLine: async () => left.shift() });
  expect([code, out]).toEqual([0, expect.stringMatching(/weather[^]*5/)]);
});

it('what was recorded is compared with the demo, and replayed', async () => {
  const file = join(folder, 'session.mcp.ndjson');
  const interrupt = new AbortController();
  const ready = deferred<string>();
  const recording = type(`tenon record ${file} URL --listen 0`, {
    signal: interrupt.signal,
    out: (text) => ready.resolve(/http:\S+/.exec(text)?.[0] ?? ''),
  });
  expect((await type(`tenon call ${await ready.promise} add a=2 b=3`)).code).toBe(0);
  interrupt.abort();
  expect((await recording).code).toBe(0);
  expect(readFileSync(file, 'utf8')).toContain('"method":"tools/call"');
  expect(await type(`tenon test ${file} URL`)).toMatchObject({ code: 0 });
  expect(await type(`tenon replay ${file} URL`)).toMatchObject({ code: 0 });
});

it('watch shows a note that changes', async () => {
  const seen = deferred<void>();
  const watching = type('tenon watch URL note://rain -n 1 --json', { err: () => seen.resolve() });
  await Promise.race([seen.promise, watching]);
  await type('tenon call URL write name=rain text=wet');
  expect((await watching).out).toContain('"event":"resources"');
});
