/** `tenon init` writes a project, and overwrites nothing. */
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
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

it.each(Object.keys(templates))(
  'init --template %s has its own start, and leaves nothing of the template',
  async (template) => {
    const { code, out } = await typed(`tenon init ${template}/weather --template ${template} --json`, { cwd });
    expect(code).toBe(0);
    const { files, next } = JSON.parse(out).result;
    expect(files).toEqual(expect.arrayContaining(['.mcp.json', 'README.md', 'package.json', 'src/main.ts']));
    expect(next.at(-1)).toContain(`npx tenon call weather ${templates[template]?.call}`);
    expect(read(template, 'weather/src/main.ts')).toMatch(/^#!\/usr\/bin\/env node\n/);
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
  const manifest = (path: string) => JSON.parse(readFileSync(join(root, path, 'package.json'), 'utf8'));
  const base = manifest('templates/base');
  const { tenon, ...others } = { ...base.dependencies, ...base.devDependencies };
  // Replaced by what the project depends on: see the next test.
  expect(tenon).toBe('*');
  for (const { manifest: more } of Object.values(templates))
    Object.assign(others, more?.dependencies, more?.devDependencies);
  const { dependencies, devDependencies } = manifest('examples/frameworks');
  const frameworks = Object.entries<string>({ ...dependencies, ...devDependencies });
  const own = {
    ...Object.fromEntries(frameworks.map(([name, version]) => [name, `^${version}`])),
    ...manifest('').devDependencies,
  };
  expect(own).toMatchObject(others);
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
