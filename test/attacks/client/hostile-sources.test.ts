/** Sources of others that `tenon-migrate` reads: they neither hold it up nor drive the terminal. */
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { runCommand } from '../../../packages/tenon-migrate/src/command.ts';

const server = `import { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js';
import { config } from './all.js';
const server = new McpServer({ name: 'a', version: '1' });
server.registerTool('add', config, async () => ({ content: [] }));
`;

/** What the command prints for some files. */
async function migrated(files: Readonly<Record<string, string>>, ...words: string[]): Promise<string> {
  const folder = mkdtempSync(join(tmpdir(), 'tenon-migrate-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    writeFileSync(join(folder, path), text);
  }
  symlinkSync('/etc', join(folder, 'src/link'));
  let printed = '';
  const print = (text: string): void => void (printed += text);
  await runCommand(['src', ...words], { folder, version: '1', print, printError: print });
  return printed;
}

it('files that export everything of each other, many times, are followed once [S24]', async () => {
  const all = (path: string): string => `export * from './${path}.js';\n`.repeat(100);
  const printed = await migrated({ 'src/server.ts': server, 'src/all.ts': all('more'), 'src/more.ts': all('all') });
  expect(printed).toContain('1 file');
});

it('a file that is nested over a thousand levels deep is left as it is [S24]', async () => {
  const printed = await migrated({
    'src/server.ts': server,
    'src/deep.ts': `let x: ${'A<'.repeat(700)}B${'>'.repeat(700)}`,
  });
  expect(printed).toContain('src/deep.ts:1:');
  expect(printed).toContain('nested deeper than 1000 levels');
});

it('names, lines and errors are printed without what drives a terminal [S36]', async () => {
  const hostile = "server.registerTool('\u001b]52;c;aGk=\u0007\u202e', config, async () => ({ content: [] }));\r\n";
  const files = { 'src/a\u001b[2J.ts': server + hostile, 'src/b\u009b31m.ts': 'let = =' };
  const printed = await migrated(files, '--dry-run');
  expect(printed).toContain('src/a\\u{1b}[2J.ts');
  expect(printed).toContain('\\u{1b}]52;c;aGk=\\u{7}\\u{202e}');
  expect(printed).not.toMatch(/(?!\n)[\p{Cc}\p{Cf}]/u);
});
