/** `tenon init` writes a project, and overwrites nothing. */
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { templates } from '../../../src/cli/commands/build/templates.ts';
import { commands } from '../../../src/cli/manifest/commands.ts';
import { ownDependency } from '../../../src/cli/target/own-package.ts';
import { root } from '../../architecture/source-tree.ts';
import { typed } from '../terminal.ts';

let cwd = '';
beforeAll(() => {
  cwd = mkdtempSync(join(tmpdir(), 'tenon-init-'));
});
afterAll(() => rmSync(cwd, { recursive: true }));

const read = (...path: string[]): string => readFileSync(join(cwd, ...path), 'utf8');

it('init writes a server, what starts it, a test and .mcp.json under the name of the folder [S31]', async () => {
  const { code, out } = await typed('tenon init projects/weather', { cwd });
  expect(code).toBe(0);
  expect(out).toMatch(
    /cd projects\/weather\n +npm install\n +npm test\n +npx tenon call weather forecast city=Oslo\n$/,
  );
  const files = readdirSync(join(cwd, 'projects/weather'), { recursive: true });
  expect(files).toEqual(expect.arrayContaining(['.gitignore', 'src/server.ts', 'src/main.ts', 'test/server.test.ts']));
  expect(JSON.parse(read('projects/weather/.mcp.json')).mcpServers).toHaveProperty('weather.command', 'node');
  expect(read('projects/weather/src/server.ts')).toContain("name: 'weather'");
  expect(JSON.parse(read('projects/weather/package.json'))).toMatchObject({
    name: 'weather',
    bin: { weather: './dist/main.js' },
  });
});

it.each(Object.entries(templates))(
  'init --template %s has its own start, and leaves nothing of the template',
  async (template, { reachedBy, starts, call, ignored = [] }) => {
    const { code, out } = await typed(`tenon init ${template}/weather --template ${template} --json`, { cwd });
    expect(code).toBe(0);
    const { files, next } = JSON.parse(out).result;
    expect(files).toEqual(expect.arrayContaining(['README.md', 'package.json', 'tsconfig.json']));
    expect(files.includes('.mcp.json')).toBe(reachedBy !== undefined);
    expect(next.at(-1)).toContain(call === undefined ? starts.at(-1) : `npx tenon call weather ${call}`);
    const { bin, scripts } = JSON.parse(read(template, 'weather/package.json'));
    // What a platform serves has neither a program nor what builds one.
    const program = files.includes('src/main.ts') && read(template, 'weather/src/main.ts').split('\n')[0];
    expect([program, files.includes('tsconfig.build.json')]).toEqual(
      bin === undefined ? [false, false] : ['#!/usr/bin/env node', true],
    );
    expect(scripts).toMatchObject({ test: expect.any(String), dev: expect.any(String), build: expect.any(String) });
    for (const [path] of `${scripts.test} ${scripts.dev}`.matchAll(/\b(?:src|test)\/\S+/g))
      expect(files).toContain(path);
    expect(read(template, 'weather/.gitignore').split('\n')).toEqual(expect.arrayContaining(['dist/', ...ignored]));
    for (const file of files) expect(read(template, 'weather', file)).not.toContain('my-server');
  },
);

it('the templates are those that --template can name, each with a folder', () => {
  const { options } = commands.find(({ name }) => name === 'init') ?? {};
  expect(options?.template?.choices).toEqual(Object.keys(templates));
  expect(readdirSync(join(root, 'templates')).sort()).toEqual(['base', ...Object.keys(templates)].sort());
});

it('init --name has another name than the folder, and --json what it wrote', async () => {
  mkdirSync(join(cwd, 'Here/.git'), { recursive: true });
  const { out } = await typed('tenon init . --name here --json', { cwd: join(cwd, 'Here') });
  expect(JSON.parse(out).result).toMatchObject({ name: 'here', files: expect.arrayContaining(['package.json']) });
  expect(JSON.parse(out).result.next[0]).toBe('npm install');
});

it('the packages of a new project are as new as those of this one', () => {
  const packagesOf = (path: string): Record<string, string> => {
    if (!existsSync(join(root, path, 'package.json'))) return {};
    const { dependencies, devDependencies } = JSON.parse(readFileSync(join(root, path, 'package.json'), 'utf8'));
    return { ...dependencies, ...devDependencies };
  };
  const used = new Map<string, string>();
  for (const folder of ['base', ...Object.keys(templates)]) {
    const { dependencies, devDependencies } = templates[folder]?.manifest ?? {};
    for (const [name, range] of Object.entries({
      ...packagesOf(`templates/${folder}`),
      ...dependencies,
      ...devDependencies,
    }))
      expect([name, used.get(name) ?? range]).toEqual([name, used.set(name, range).get(name)]);
  }
  // Replaced by what the project depends on: see the next test.
  expect(used.get('tenon')).toBe('*');
  used.delete('tenon');
  // The last Wrangler for Node 20 is not that for Node 22.
  expect(used.get('wrangler')).toBe(`~${packagesOf('test/package/wrangler').wrangler}`);
  used.delete('wrangler');
  const frameworks = Object.entries(packagesOf('examples/frameworks'));
  const own = { ...Object.fromEntries(frameworks.map(([name, version]) => [name, `^${version}`])), ...packagesOf('') };
  expect(own).toMatchObject(Object.fromEntries(used));
});

it('a new project depends on the installed version, or on the tarball or folder that this one is from', async () => {
  const modules = join(cwd, 'installed/node_modules');
  const own = join(modules, 'tenon');
  mkdirSync(own, { recursive: true });
  writeFileSync(join(own, 'package.json'), '{ "version": "1.2.3" }');
  expect(await ownDependency(cwd, own)).toBe('^1.2.3');
  expect(await ownDependency(cwd, root)).toBe(`file:${root}`);
  writeFileSync(join(cwd, 'installed/tenon-1.2.3.tgz'), 'packed');
  const resolved = { 'node_modules/tenon': { resolved: 'file:tenon-1.2.3.tgz' } };
  writeFileSync(join(modules, '.package-lock.json'), JSON.stringify({ packages: resolved }));
  expect(await ownDependency(cwd, own)).toBe('file:tenon-1.2.3.tgz');
  expect(read('tenon-1.2.3.tgz')).toBe('packed');
});

it.each([
  ['no folder', 'init', /DIR is missing/],
  ['a folder that has files', 'init full', /full has files: notes\.txt\. Name a folder that is empty/],
  ['a file', 'init full/notes.txt', /is not a folder/],
  ['a name that npm does not take', 'init My_Server', /"My_Server" cannot be .+: --name my-server\./],
  ['a name without such letters', 'init 天気', /"天気" cannot be .+: --name my-server\./],
  ['the name of a package that it uses', 'init zod', /"zod" is a package that the project uses.+--name my-zod/],
  ['the name of a package of its template', 'init libsql --template tasks', /"libsql" is a package/],
  ['the name of a package of a platform', 'init wrangler --template workers', /"wrangler" is a package/],
  ['an unknown template', 'init new --template nest', /--template cannot be "nest"\. It can be stdio, http/],
])('init refuses %s', async (_, line, message) => {
  mkdirSync(join(cwd, 'full'), { recursive: true });
  writeFileSync(join(cwd, 'full/notes.txt'), 'mine');
  const before = readdirSync(cwd);
  const { code, err } = await typed(`tenon ${line}`, { cwd });
  expect(err).toMatch(message);
  expect(code).toBe(2);
  expect(readdirSync(cwd)).toEqual(before);
});
