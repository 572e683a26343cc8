/** Installs packages that only some tests of `npm run test:long` need, in `.tenon`, where they stay for the next run. */
import { copyFileSync, existsSync, mkdirSync, readdirSync, readFileSync } from 'node:fs';
import { inRoot, run } from './command.mjs';

/** Their folder in `.tenon`, the folder with their lock file, and the folders of the tests that need them. */
const sets = [
  { name: 'frameworks', source: 'examples/frameworks', tests: ['test/frameworks', 'test/package', 'test/deploy'] },
  { name: 'agents', source: 'test/agents/peers', tests: ['test/agents/peers', 'test/package'] },
  { name: 'published', source: 'test/official/published', tests: ['test/official/published'] },
  { name: 'matrix', source: 'test/package/matrix/tools', tests: ['test/package/matrix', 'test/deploy'] },
  { name: 'wrangler', source: 'test/package/wrangler', tests: ['test/package'] },
  { name: 'deploy', source: 'test/deploy/tools', tests: ['test/deploy'] },
  // Its native part is compiled.
  { name: 'lambda', source: 'test/deploy/lambda-runtime', tests: ['test/deploy'], timeoutMs: 900_000 },
  { name: 'registry', source: 'test/publish/registry', tests: ['test/publish'] },
  { name: 'bundles', source: 'test/publish/bundles', tests: ['test/publish/bundles'] },
  { name: 'documents', source: 'test/openapi/directory', tests: ['test/openapi/directory'], timeoutMs: 600_000 },
];

/**
 * With words, only what tests need whose path has one of them. Resolves with the tests whose packages could not be
 * installed, each with the reason.
 */
export async function installKeptPackages(words) {
  const missing = [];
  for (const { name, source, tests, timeoutMs = 180_000 } of sets) {
    if (words.length > 0 && !tests.flatMap(testsIn).some((path) => words.some((word) => path.includes(word)))) continue;
    const reason = await install(inRoot(`.tenon/${name}`), inRoot(source), timeoutMs);
    if (reason !== undefined) missing.push({ tests: tests[0], reason });
  }
  return missing;
}

/** The paths of the test files of a folder, without those of its folders. */
const testsIn = (folder) =>
  readdirSync(inRoot(folder))
    .filter((name) => name.endsWith('.test.ts'))
    .map((name) => `${folder}/${name}`);

async function install(folder, source, timeoutMs) {
  const lock = `${source}/package-lock.json`;
  const stamp = `${folder}/node_modules/.tenon-lock`;
  if (existsSync(stamp) && readFileSync(stamp, 'utf8') === readFileSync(lock, 'utf8')) return undefined;
  mkdirSync(folder, { recursive: true });
  for (const name of ['package.json', 'package-lock.json']) copyFileSync(`${source}/${name}`, `${folder}/${name}`);
  const args = ['install', '--prefix', folder, '--no-save', '--no-audit', '--no-fund', '--loglevel=error'];
  const { ok, output } = await run('npm', args, { timeoutMs });
  if (!ok) return `npm could not install them: ${output.trim().split('\n')[0]}`;
  copyFileSync(lock, stamp);
  return undefined;
}
