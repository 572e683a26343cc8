/** Lock files install on each kind of Linux machine that runs the tests, and depend on no registry. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { root } from '../architecture/source-tree.ts';

interface Lock {
  readonly packages: Readonly<Record<string, { readonly version?: string; readonly resolved?: string }>>;
}

const locks = [
  'package-lock.json',
  'bench/package-lock.json',
  'examples/frameworks/package-lock.json',
  'site/package-lock.json',
  'test/agents/peers/package-lock.json',
  'test/deploy/lambda-runtime/package-lock.json',
  'test/deploy/tools/package-lock.json',
  'test/official/published/package-lock.json',
  'test/package/matrix/tools/package-lock.json',
  'test/package/wrangler/package-lock.json',
  'test/publish/bundles/package-lock.json',
  'test/publish/registry/package-lock.json',
];

/** Some packages name the architectures in their own way. */
const usualName = (name: string): string =>
  name.replace(/workerd-linux-64$/, 'workerd-linux-x64').replace(/bun-linux-aarch64$/, 'bun-linux-arm64');

const bothArchitectures = (name: string): readonly string[] => [
  name.replace(/linux-(x64|arm64)/, 'linux-x64'),
  name.replace(/linux-(x64|arm64)/, 'linux-arm64'),
];

describe.each(locks)('%s', (file) => {
  const lock = JSON.parse(readFileSync(join(root, file), 'utf8')) as Lock;
  const packages = Object.fromEntries(Object.entries(lock.packages).map(([name, each]) => [usualName(name), each]));

  it('has each native package for x64 and for arm64, in the same version', () => {
    const native = Object.keys(packages).filter((name) => /linux-(x64|arm64)(-gnu)?$/.test(name));
    const odd = native.filter((name) => {
      const [one, other] = bothArchitectures(name).map((each) => packages[each]?.version);
      return one === undefined || one !== other;
    });
    expect(odd).toEqual([]);
  });

  it('names no registry', () => {
    expect(Object.values(packages).filter(({ resolved }) => resolved?.startsWith('http'))).toEqual([]);
  });
});
