/** Sets the version of all packages, dates the changelog, commits and tags. Publishes nothing. */
import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { unannounced } from '../api/changes.ts';
import { apiReports } from '../api/report.ts';
import { releasedIn, withRelease } from './changelog.ts';
import { releaseProblems } from './problems.ts';

const root = fileURLToPath(new URL('../..', import.meta.url));
const read = (path: string): string => readFileSync(join(root, path), 'utf8');
const git = (...args: readonly string[]): string => execFileSync('git', args, { cwd: root, encoding: 'utf8' });

interface Manifest {
  version: string;
  dependencies: Record<string, string>;
  packages?: Record<string, { version: string }>;
}

/** Changes a file of JSON as npm writes it. */
function change(path: string, by: (manifest: Manifest) => void): void {
  const manifest = JSON.parse(read(path)) as Manifest;
  by(manifest);
  writeFileSync(join(root, path), `${JSON.stringify(manifest, null, 2)}\n`);
}

const [version = ''] = process.argv.slice(2);
const changelog = read('CHANGELOG.md');
const reports = apiReports(root);

/** docs/performance.md in the last release. */
function lastPage(): string | undefined {
  const [last] = releasedIn(changelog);
  return last === undefined ? undefined : git('show', `v${last}:docs/performance.md`);
}

/** The files of `api` in the last release, with what is in them. */
function lastReports(): (readonly [name: string, text: string])[] {
  const [last] = releasedIn(changelog);
  if (last === undefined) return [];
  const paths = git('ls-tree', '--name-only', `v${last}`, 'api/').split('\n').filter(Boolean);
  return paths.map((path) => [basename(path, '.txt'), git('show', `v${last}:${path}`)]);
}

const problems = releaseProblems({
  version,
  present: (JSON.parse(read('package.json')) as Manifest).version,
  changelog,
  changed: git('status', '--porcelain')
    .split('\n')
    .filter(Boolean)
    .map((line) => line.slice(3)),
  outdated: [...reports].flatMap(([name, text]) => {
    const path = `api/${name}.txt`;
    return existsSync(join(root, path)) && read(path) === text ? [] : [name];
  }),
  unannounced: lastReports().flatMap(([name, text]) => unannounced(text, reports.get(name) ?? '', changelog)),
  comparison: {
    base: (JSON.parse(read('bench/base.json')) as { readonly commit: string }).commit,
    page: read('docs/performance.md'),
    lastPage: lastPage(),
  },
});

if (problems.length > 0) {
  console.error(problems.join('\n'));
  process.exitCode = 1;
} else {
  change('package.json', (manifest) => {
    manifest.version = version;
  });
  change('package-lock.json', (lock) => {
    lock.version = version;
    if (lock.packages?.[''] !== undefined) lock.packages[''].version = version;
  });
  change('packages/create-tenon/package.json', (manifest) => {
    manifest.version = version;
    manifest.dependencies.tenon = version;
  });
  change('packages/tenon-migrate/package.json', (manifest) => {
    manifest.version = version;
  });
  writeFileSync(join(root, 'CHANGELOG.md'), withRelease(changelog, version, new Date().toISOString().slice(0, 10)));
  git('commit', '--all', '--message', `release: ${version}`);
  git('tag', '--annotate', `v${version}`, '--message', `Tenon ${version}`);
  console.log(`Committed and tagged v${version}. To publish it: git push --follow-tags`);
}
