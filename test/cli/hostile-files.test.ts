/** Files and texts of others that the command line reads and prints: none stops it, drives the terminal, or means two things. */
import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { withTimeout } from '../kit/with-timeout.ts';
import { typed } from './terminal.ts';

function newFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'tenon-hostile-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  return folder;
}

const deep = (levels: number): string => `${'['.repeat(levels)}${']'.repeat(levels)}`;

describe('a configuration file of a project', () => {
  const inside = (folder: string, line = 'tenon ping mine', own: object = {}) =>
    withTimeout(typed(line, { cwd: folder, env: { HOME: folder }, ...own }), 'the command');

  it.each([
    [
      'with two fields mcpServers',
      '{"mcpServers":{"mine":{"url":"http://a.test"}},"mcpServers":{"mine":{"command":"x"}}}',
      /"mcpServers" twice/,
    ],
    [
      'with two servers of one name',
      '{"mcpServers":{"mine":{"url":"http://a.test"},"mine":{"command":"x"}}}',
      /"mine" twice/,
    ],
    [
      'that is nested deep',
      `{"mcpServers":{"mine":{"url":"http://a.test","x":${deep(1_000_000)}}}}`,
      /nested deeper than 100 levels/,
    ],
    ['that opens and never closes', '['.repeat(1_000_000), /nested deeper than 100 levels/],
  ])('%s is refused with its name [S24]', async (_, text, message) => {
    const folder = newFolder();
    writeFileSync(join(folder, '.mcp.json'), text);
    const { code, err } = await inside(folder);
    expect([code, err]).toEqual([2, expect.stringContaining(`${join(folder, '.mcp.json')} is skipped`)]);
    expect(err).toMatch(message);
  });

  it('that is a pipe is refused at once [S24]', async () => {
    const folder = newFolder();
    execFileSync('mkfifo', [join(folder, '.mcp.json')]);
    expect((await inside(folder)).err).toContain('.mcp.json is skipped: it is not a file.');
    const named = await inside(folder, 'tenon ping mine --config .mcp.json', { cwd: folder });
    expect([named.code, named.err]).toEqual([2, expect.stringContaining('cannot be read')]);
  });
});

it('a capture that is nested deep is refused with its name and line [S24]', async () => {
  const folder = newFolder();
  const header = JSON.stringify({ capture: 1, by: 'tenon', made: '2026-11-17T00:00:00.000Z', redaction: 1 });
  const event = `{"kind":"message","from":"client","seq":1,"ms":0,"connection":1,"m":${deep(1_000_000)}}`;
  writeFileSync(join(folder, 'deep.mcp.ndjson'), `${header}\n${event}\n`);
  for (const command of ['replay', 'inspect']) {
    const { code, err } = await typed(`tenon ${command} deep.mcp.ndjson`, { cwd: folder });
    expect([code, err]).toEqual([
      2,
      expect.stringMatching(/deep\.mcp\.ndjson: Line 2 of the capture is nested deeper/),
    ]);
  }
});

it('JSON has no character that drives a terminal, and reads as the same value [S36]', async () => {
  const raw = '\u009b31mred\u009c \u007f \u202eevil \u2066x\u2069';
  const line = ['tenon', 'call', './reflecting.mjs', 'reflect', `text=${raw}`, '--json'];
  const { out } = await typed(line, { isTerminal: true });
  expect(out).not.toMatch(/[\u007f-\u009f\u202a-\u202e\u2066-\u2069]/);
  expect(JSON.parse(out)).toMatchObject({ ok: true, result: { structuredContent: { text: raw } } });
});
