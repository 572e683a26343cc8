/** The version of the package is stated in package.json alone; the sources read it from a module that is generated from there. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { connect, createServer, tool, toText } from 'tenon';
import { describe, expect, it } from 'vitest';
import { version as generated } from '../../src/protocol/generated/version.ts';
import { pathsUnder, root } from '../architecture/source-tree.ts';

const read = (path: string): string => readFileSync(join(root, path), 'utf8');
const { version } = JSON.parse(read('package.json')) as { readonly version: string };

const folders = [
  'src',
  'apps',
  'test',
  'docs',
  'examples',
  'templates',
  'scripts',
  'conformance',
  'bench',
  'spec',
  '.ci',
];
const files = [
  'README.md',
  'ARCHITECTURE.md',
  'CONTRIBUTING.md',
  'SECURITY.md',
  'tsdown.config.ts',
  'vitest.config.ts',
];
const places = [...folders, ...files];

/** What is installed or generated, and lock files, which npm writes: the one of this package is compared below. */
const notWritten =
  /(?:^|\/)(?:node_modules|generated|results)\/|^docs\/(?:api|images)\/|package-lock\.json$|\.(?:png|gz|db)$/;

/** Lines on which this version follows the name of the package, which may stand on the line before. */
function statementsOf(stated: string, path: string, text: string): string[] {
  if (!text.includes(stated)) return [];
  const escaped = stated.replaceAll('.', String.raw`\.`);
  const named = new RegExp(String.raw`\btenon\b(?:.*|['"],\s*['"]?version\b.*)(?<!\d\.?)${escaped}(?!\.?\d)`, 'gi');
  return [...text.matchAll(named)].map(
    ({ index }) => `${path}:${text.slice(0, index).split('\n').length} states the version: package.json alone does`,
  );
}

describe('the version', () => {
  it('is stated in package.json alone', () => {
    const files = places.flatMap((place) => (/\w\.\w+$/.test(place) ? [place] : pathsUnder(place)));
    const written = files.filter((path) => !notWritten.test(path));
    expect(written).toContain('src/client/connection/settings.ts');
    expect(written.flatMap((path) => statementsOf(version, path, read(path)))).toEqual([]);
  });

  it('is the same in the lock file and in the generated module', () => {
    const lock = JSON.parse(read('package-lock.json')) as { version: string; packages: { '': { version: string } } };
    expect([lock.version, lock.packages[''].version, generated]).toEqual([version, version, version]);
  });

  it('is that of create-tenon, which depends on exactly it', () => {
    const { dependencies, ...created } = JSON.parse(read('packages/create-tenon/package.json'));
    expect([created.version, dependencies.tenon]).toEqual([version, version]);
  });

  it('is that of tenon-migrate, whose parser and editor are the ones that are tested here', () => {
    const migrate = JSON.parse(read('packages/tenon-migrate/package.json'));
    const { devDependencies } = JSON.parse(read('package.json'));
    expect(migrate.version).toBe(version);
    for (const [name, pinned] of Object.entries(migrate.dependencies)) expect(devDependencies[name]).toBe(pinned);
  });

  it('is what a client sends that sets no clientInfo', async () => {
    const sender = tool({}, (_given, { caller: { clientInfo } }) => `${clientInfo?.name} ${clientInfo?.version}`);
    await using client = await connect(createServer({ name: 'names', version: '1', tools: { sender } }));
    expect(toText(await client.tools.call('sender'))).toBe(`tenon ${version}`);
  });

  it.each([
    ["const info = { name: 'tenon', version: '1.2.3' };", 1],
    ["{\n  name: 'tenon',\n  version: '1.2.3',\n}", 1],
    ['npm install ../tenon-1.2.3.tgz', 1],
    ['"tenon": "^1.2.3"', 1],
    ["import { tool } from 'tenon';\nconst server = { name: 'demo', version: '1.2.3' };", 0],
    ['tenon at 11.2.3.4', 0],
  ])('is found in %j: %i times', (text, count) => {
    expect(statementsOf('1.2.3', 'a.ts', text)).toHaveLength(count);
  });
});
