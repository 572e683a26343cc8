/**
 * `npm run release` in a checkout of its own: what it commits, tags and refuses. Everything in it is as it is here but the
 * sources: the API of one small entry is read in seconds, that of all of them in minutes.
 */
import { execFileSync, spawnSync } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';

const root = fileURLToPath(new URL('../..', import.meta.url));
const checkout = mkdtempSync(join(tmpdir(), 'tenon-release-'));
const needed = [
  '.gitignore',
  'CHANGELOG.md',
  'bench/base.json',
  'package-lock.json',
  'package.json',
  'packages',
  'scripts',
  'tsconfig.json',
  'tsconfig.node.json',
];

/** The table of the comparison in a page. */
const comparison = (figure: string): string =>
  `Time of a call beside \`db4de17\` (\`npm run bench -- compare\`).\n\n| load |\n| --- |\n| ${figure} |\n`;

const written = {
  'api/skills.txt':
    'SkillsOptions { readonly folder: string }\nSkillsOptions { readonly pageSize?: number }\nSkillsOptions: interface\n',
  'docs/performance.md': comparison('6.2'),
  'src/skills.ts': 'export interface SkillsOptions {\n  readonly folder: string;\n  readonly pageSize?: number;\n}\n',
  'tsdown.config.ts': "export default { entry: { skills: 'src/skills.ts' } };\n",
};

const env = {
  ...process.env,
  GIT_CONFIG_GLOBAL: join(checkout, 'no-settings'),
  GIT_CONFIG_NOSYSTEM: '1',
  GIT_AUTHOR_NAME: 'A maintainer',
  GIT_AUTHOR_EMAIL: 'maintainer@example.com',
  GIT_COMMITTER_NAME: 'A maintainer',
  GIT_COMMITTER_EMAIL: 'maintainer@example.com',
};

const git = (...args: readonly string[]): string =>
  execFileSync('git', args, { cwd: checkout, env, encoding: 'utf8' }).trim();

const read = (path: string): string => readFileSync(join(checkout, path), 'utf8');

function write(path: string, text: string): void {
  mkdirSync(dirname(join(checkout, path)), { recursive: true });
  writeFileSync(join(checkout, path), text);
}

function commit(path: string, change: (text: string) => string): void {
  const before = read(path);
  const after = change(before);
  expect([path, after === before]).toEqual([path, false]);
  write(path, after);
  git('commit', '--quiet', '--all', '--message', `change ${path}`);
}

/** What `npm run release -- VERSION` starts after its set-up. */
function release(version: string): { readonly status: number | null; readonly said: string } {
  const args = ['--import', 'tsx', 'scripts/release/main.ts', version];
  const { status, stdout, stderr } = spawnSync(process.execPath, args, { cwd: checkout, env, encoding: 'utf8' });
  return { status, said: stdout + stderr };
}

describe('a release', () => {
  beforeAll(() => {
    for (const path of needed) cpSync(join(root, path), join(checkout, path), { recursive: true });
    for (const [path, text] of Object.entries(written)) write(path, text);
    symlinkSync(join(root, 'node_modules'), join(checkout, 'node_modules'), 'dir');
    git('init', '--quiet');
    writeFileSync(join(checkout, '.git/info/exclude'), 'node_modules\n');
    git('add', '--all');
    git('commit', '--quiet', '--message', 'all');
  });
  afterAll(() => rmSync(checkout, { recursive: true, force: true }));

  it('sets each version, dates the changelog, commits and tags', () => {
    expect(release('0.1.0').said).toContain('Committed and tagged v0.1.0');
    expect(git('log', '-1', '--format=%s %D')).toMatch(/^release: 0\.1\.0 .*tag: v0\.1\.0/);
    expect(git('status', '--porcelain')).toBe('');
    expect(read('CHANGELOG.md')).toMatch(/## Unreleased\n\n## 0\.1\.0 \(\d{4}-\d\d-\d\d\)\n/);
  });

  it('is refused after it until something is written under "Unreleased"', () => {
    const { status, said } = release('0.1.1');
    expect({ status, said }).toMatchObject({ status: 1, said: expect.stringMatching(/nothing under "Unreleased"/) });
    expect(git('tag', '--list')).toBe('v0.1.0');
  });

  it('is refused while a member that is gone is not under "Breaking", and made once it is', () => {
    commit('src/skills.ts', (text) => text.replace(/^ {2}readonly pageSize\?: .*\n/m, ''));
    commit('CHANGELOG.md', (text) => text.replace('## Unreleased\n', '## Unreleased\n\n**Breaking**\n\n- `other`\n'));
    expect(release('0.2.0').said).toMatch(/api\/skills\.txt is not up to date: npm run api/);
    commit('api/skills.txt', (text) => text.replace(/^SkillsOptions \{ readonly pageSize.*\n/m, ''));
    expect(release('0.2.0').said).toMatch(/under "Breaking" in CHANGELOG\.md: SkillsOptions \{ readonly pageSize/);
    commit('CHANGELOG.md', (text) => text.replace('- `other`', '- `SkillsOptions` has no `pageSize`.'));
    expect(release('0.2.0').said).toMatch(
      /The table beside db4de17 in docs\/performance\.md is that of the last release/,
    );
    commit('docs/performance.md', () => comparison('6.1'));
    expect(release('0.2.0').said).toContain('Committed and tagged v0.2.0');
    expect(git('tag', '--list').split('\n')).toEqual(['v0.1.0', 'v0.2.0']);
    expect(JSON.parse(read('package.json'))).toMatchObject({ version: '0.2.0' });
    expect(JSON.parse(read('package-lock.json'))).toMatchObject({
      version: '0.2.0',
      packages: { '': { version: '0.2.0' } },
    });
    const create = JSON.parse(read('packages/create-tenon/package.json'));
    expect(create).toMatchObject({ version: '0.2.0', dependencies: { tenon: '0.2.0' } });
    expect(JSON.parse(read('packages/tenon-migrate/package.json'))).toMatchObject({ version: '0.2.0' });
  });
});
