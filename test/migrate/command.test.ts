/** The command `tenon-migrate`: which files it reads and writes, what it prints, and what it refuses. */
import { mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { runCommand } from '../../packages/tenon-migrate/src/command.ts';

const server = `import { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js';
const server = new McpServer({ name: 'a', version: '1' });
server.registerTool('add', {}, () => 1);
server.server.oninitialized = start;
`;

interface Ran {
  readonly code: number;
  readonly out: string;
  readonly err: string;
}

interface Project {
  readonly folder: string;
  read(path: string): string;
  run(...words: readonly string[]): Promise<Ran>;
}

function project(files: Readonly<Record<string, string | Uint8Array>>): Project {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), 'tenon-migrate-')));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    writeFileSync(join(folder, path), text);
  }
  return {
    folder,
    read: (path) => readFileSync(join(folder, path), 'utf8'),
    async run(...words) {
      let [out, err] = ['', ''];
      const code = await runCommand(words, {
        folder,
        version: '1.2.3',
        print: (text) => {
          out += text;
        },
        printError: (text) => {
          err += text;
        },
      });
      return { code, out, err };
    },
  };
}

describe('tenon-migrate', () => {
  it('converts files, lists what is left, and changes nothing in a second run', async () => {
    const { run, read } = project({ 'src/index.ts': server });
    expect(await run('src/')).toEqual({
      code: 0,
      err: '',
      out: `1 tool converted in 1 file:
  src/index.ts

1 place is left for you:
  src/index.ts:4:1 \`server.server.oninitialized = …\`: a server has many clients: ask in a handler (migrating.md#what-a-port-has-to-decide)

migrating.md is docs/guide/migrating.md of the package tenon.

Next: npm install tenon zod, format the files, compile them, and run your tests.
`,
    });
    const converted = read('src/index.ts');
    expect(converted).toContain('draft.tools.add = ');
    const second = await run('src/');
    expect(second).toMatchObject({ code: 0, err: '', out: expect.stringContaining('Nothing to convert') });
    expect(read('src/index.ts')).toBe(converted);
  });

  it('prints with --dry-run what would change, and changes nothing', async () => {
    const { run, read } = project({ 'index.js': server });
    const { code, out } = await run('--dry-run', '.');
    expect(code).toBe(0);
    expect(out).toContain("  3 - server.registerTool('add', {}, () => 1);\n");
    expect(out).toContain('  4 + server.update((draft) => { draft.tools.add = tool({}, sdkHandler(() => 1)); });\n');
    expect(out).toContain('1 tool would be converted in 1 file:\n  index.js\n');
    expect(read('index.js')).toBe(server);
  });

  it('fails with --check while something would change', async () => {
    const { run, read } = project({ 'index.js': server });
    expect(await run('--check', '.')).toMatchObject({ code: 1 });
    expect(read('index.js')).toBe(server);
    await run('.');
    expect(await run('--check', '.')).toMatchObject({ code: 0 });
  });

  it('leaves what is installed or built, links, and other paths alone', async () => {
    const paths = ['node_modules/a/index.js', 'dist/index.js', '.hidden/index.js', 'types.d.ts'];
    const { run, read, folder } = project({
      ...Object.fromEntries(paths.map((path) => [`src/${path}`, server])),
      'src/index.ts': server,
      'other/index.ts': server,
    });
    symlinkSync(join(folder, 'other'), join(folder, 'src/linked'));
    symlinkSync(join(folder, 'other/index.ts'), join(folder, 'src/linked.ts'));
    const { code, err } = await run('src');
    expect([code, err]).toEqual([0, 'tenon-migrate: 2 links were not followed.\n']);
    expect(read('src/index.ts')).not.toBe(server);
    for (const path of [...paths.map((one) => `src/${one}`), 'other/index.ts']) expect(read(path)).toBe(server);
  });

  it('converts a file or a folder of any name that is given itself', async () => {
    const { run, read } = project({ 'dist/index.js': server });
    expect(await run('dist')).toMatchObject({ code: 0 });
    expect(read('dist/index.js')).not.toBe(server);
  });

  it('converts other files beside one that does not parse, or is not UTF-8', async () => {
    const { run, read } = project({
      'a.ts': 'const = 1;',
      'b.ts': Uint8Array.of(0x27, 0xff, 0x27),
      'c.ts': `\uFEFF${server.replaceAll('\n', '\r\n')}`,
    });
    const { code, err } = await run('.');
    expect(code).toBe(1);
    expect(err).toContain('b.ts:1:1 not read: the file is not UTF-8. It was left as it is.\n');
    expect(err).toMatch(/^a\.ts:1:7 .* Fix it, then run again\.$/m);
    expect(read('c.ts')).toMatch(/^\uFEFFimport \{ createServer, tool \} from 'tenon';/);
    expect(read('c.ts').replaceAll('\r\n', '')).not.toContain('\n');
  });
});

describe('wrong use', () => {
  it.each([
    [[], 2, 'the path is missing: npx tenon-migrate src/'],
    [['--tidi', 'src'], 2, 'unknown option --tidi. Options are --dry-run, --check and --tidy.'],
    [['nowhere'], 2, 'nowhere does not exist. Name a folder or a file, such as src/.'],
    [['empty'], 2, 'No TypeScript or JavaScript files under empty.'],
    [['node_modules/a'], 2, 'node_modules/a is inside node_modules'],
    [['own'], 1, 'no file under own imports the official SDK'],
  ])('%j has an error with the fix', async (words, code, message) => {
    const { run } = project({
      'empty/a.txt': '',
      'node_modules/a/index.js': server,
      'own/a.ts': 'export const a = 1;',
    });
    const ran = await run(...words);
    expect(ran).toMatchObject({ code, out: '', err: expect.stringContaining(message) });
  });

  it('is no use of a folder that was converted', async () => {
    const { run } = project({ 'a.ts': "import { tool } from 'tenon';\n" });
    expect(await run('.')).toEqual({
      code: 0,
      out: 'Nothing to convert: no file under . imports the official SDK.\n',
      err: '',
    });
  });

  it.each([
    ['--help', /^Usage: npx tenon-migrate PATH… \[OPTIONS\]\n/],
    ['--version', /^1\.2\.3\n$/],
  ])('%s prints and does nothing', async (word, expected) => {
    expect(await project({}).run(word)).toEqual({ code: 0, out: expect.stringMatching(expected), err: '' });
  });
});
