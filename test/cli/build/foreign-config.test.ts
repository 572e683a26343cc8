/** Configuration files that other programs wrote: names that tenon would not choose, and a byte order mark. */
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { typed } from '../terminal.ts';

let home = '';
beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), 'tenon-foreign-'));
});
afterEach(() => rmSync(home, { recursive: true }));

const world = () => ({ cwd: home, env: { HOME: home } });
const write = (text: string): void => writeFileSync(join(home, '.mcp.json'), text);
const read = (): string => readFileSync(join(home, '.mcp.json'), 'utf8');
const mark = '\ufeff';

describe('a file of another program', () => {
  it('loses a server of any name, and gets none with a strange one [S31]', async () => {
    const name = 'my server ü';
    write(JSON.stringify({ mcpServers: { [name]: { command: 'a' }, b: { command: 'b' } } }));
    expect((await typed(['tenon', 'config', 'remove', 'project', name, '--yes'], world())).code).toBe(0);
    expect(JSON.parse(read())).toEqual({ mcpServers: { b: { command: 'b' } } });
    const added = await typed(['tenon', 'config', 'add', 'project', name, 'https://a.example/mcp', '--yes'], world());
    expect(added.code).toBe(2);
    expect(added.err).toContain('cannot be the name of a server');
  });

  it.each([
    ['__proto__', 'There is no server'],
    ['', 'There is no server'],
  ])('has no server %j to remove', async (name, message) => {
    write('{ "mcpServers": {} }');
    const { code, err } = await typed(['tenon', 'config', 'remove', 'project', name, '--yes'], world());
    expect(code).toBe(2);
    expect(err).toContain(message);
  });

  it('keeps its byte order mark, and its servers are found', async () => {
    const before = `${mark}{\n  "mcpServers": {\n    "b": { "url": "http://127.0.0.1:1/mcp" }\n  }\n}\n`;
    write(before);
    const found = await typed('tenon tools b', world());
    expect(found).toMatchObject({ code: 3, err: expect.stringContaining('is not listening') });
    expect((await typed('tenon config add project w https://a.example/mcp --yes', world())).code).toBe(0);
    expect(read().startsWith(`${mark}{\n`)).toBe(true);
    expect(Object.keys(JSON.parse(read().slice(1)).mcpServers)).toEqual(['b', 'w']);
    expect((await typed('tenon config remove project w --yes', world())).code).toBe(0);
    expect(read()).toBe(before);
  });

  it('is still skipped for a field named __proto__', async () => {
    write(`${mark}{ "mcpServers": { "__proto__": { "b": { "command": "b" } } } }`);
    expect((await typed('tenon tools b', world())).err).toContain('a field named __proto__');
  });
});
