/** An installation of the built package stays small: the tarball, and what npm writes for it and its dependencies. */
import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { root } from '../architecture/source-tree.ts';
import { budgetErrors } from './budgets.ts';
import { packedFiles } from './packed-files.ts';
import { pinned } from './pins.ts';

interface Size {
  readonly bytes: number;
  /** On a disk with blocks of 4 KiB, as `du` counts. */
  readonly diskBytes: number;
  readonly files: number;
}

function sizeOf(paths: readonly string[]): Size {
  const sizes = paths.map((path) => statSync(path).size);
  const sum = (numbers: readonly number[]): number => numbers.reduce((total, each) => total + each, 0);
  return { bytes: sum(sizes), diskBytes: sum(sizes.map((size) => Math.ceil(size / 4096) * 4096)), files: paths.length };
}

const installed = (name: string): string => join(root, 'node_modules', name);

/** The packages that npm installs with this one: dependencies, and theirs. */
function dependenciesOf(folder: string, found = new Set<string>()): ReadonlySet<string> {
  const { dependencies = {} } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')) as {
    readonly dependencies?: Readonly<Record<string, string>>;
  };
  for (const name of Object.keys(dependencies)) {
    if (found.has(name)) continue;
    dependenciesOf(installed(name), found.add(name));
  }
  return found;
}

function filesOf(name: string): string[] {
  return readdirSync(installed(name), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name));
}

const tarball = packedFiles();
if (!tarball.files.includes('dist/node.d.ts')) throw new Error('The package is not built: npm run build');
const names = [...dependenciesOf(root)].sort();
const own = tarball.files.map((path) => join(root, path));
const whole = sizeOf([...own, ...names.flatMap(filesOf)]);

describe('an installation', () => {
  // It was 10 MB and 750 files before `tenon/agents` and `tenon/auth-server`, 11.5 MB and 800 before `tenon/gateway` and code mode, 850 files before six more templates.
  it('is under 12 MB and 900 files', () => {
    expect(whole.bytes).toBeLessThan(10_000_000);
    expect(whole.diskBytes).toBeLessThan(12_000_000);
    expect(whole.files).toBeLessThan(900);
  });

  // test/publish measures a real installation, with the versions of the day.
  it('with zod is under 20.1 MB', () => {
    expect(whole.diskBytes + sizeOf(filesOf('zod')).diskBytes).toBeLessThan(20_100_000);
  });

  it('stays within its budget in installed.json', () => {
    const now = {
      'bytes of the tarball': tarball.tarballBytes,
      'bytes of the package': tarball.unpackedBytes,
      'files of the package': own.length,
      'bytes installed': whole.bytes,
      'bytes installed, on disk': whole.diskBytes,
      'files installed': whole.files,
    };
    expect(budgetErrors(now, pinned('installed.json', now), '')).toEqual([]);
  });

  it('has these packages beside ours, which has no source maps', () => {
    expect(names).toEqual([
      '@marcbachmann/cel-js',
      'cross-spawn',
      'isexe',
      'jose',
      'oauth4webapi',
      'path-key',
      're2js',
      'shebang-command',
      'shebang-regex',
      'undici',
      'which',
    ]);
    expect(tarball.files.filter((path) => path.endsWith('.map'))).toEqual([]);
  });
});
