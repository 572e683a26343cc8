/** The remembered protocol version of a command is not used for another, even if they differ only in a variable. */
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type CommandTarget, connect } from 'tenon';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { withFixed } from '../../kit/fixed-limits.ts';
import { program, rawServerScript } from '../../kit/process/node-script.ts';

let folder = '';
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'tenon-versions-'));
});
afterEach(() => rmSync(folder, { recursive: true }));

/** A server that records the first method that each of its processes receives. */
const recording = (): string =>
  rawServerScript(
    '',
    `process.stdin.once('data', (chunk) => {
      const { method } = JSON.parse(String(chunk).split('\\n')[0]);
      require('node:fs').appendFileSync(${JSON.stringify(join(folder, 'firsts'))}, method + ' ');
    })`,
  );

async function firsts(...commands: Partial<CommandTarget>[]): Promise<string[]> {
  const script = recording();
  for (const more of commands)
    await (await connect(program(script, more), { timeouts: withFixed({}, { discoveryMs: 60_000 }) })).close();
  return readFileSync(join(folder, 'firsts'), 'utf8').trim().split(' ');
}

it('a server without server/discover gets initialize first the next time', async () => {
  const same = { env: { SERVER: 'old', TOKEN: 'sesame' } };
  const reordered = { env: { TOKEN: 'sesame', ABSENT: undefined, SERVER: 'old' } };
  expect(await firsts(same, same, reordered)).toEqual(['server/discover', 'initialize', 'initialize']);
});

it.each<[string, Partial<CommandTarget>]>([
  ['another variable', { env: { SERVER: 'new' } }],
  ['one variable more', { env: { SERVER: 'old', MODE: 'new' } }],
  ['another argument', { env: { SERVER: 'old' }, args: ['new'] }],
  ['another folder', { env: { SERVER: 'old' }, cwd: tmpdir() }],
])('a server started with %s gets its own server/discover', async (_, other) => {
  expect(await firsts({ env: { SERVER: 'old' } }, other)).toEqual(['server/discover', 'server/discover']);
});
