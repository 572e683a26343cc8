/** `npm start` on a fresh clone installs few packages: those that the demo imports. */
import { readFileSync } from 'node:fs';
import { isBuiltin } from 'node:module';
import { join } from 'node:path';
import { build } from 'esbuild';
import { expect, it } from 'vitest';
import { root } from '../architecture/source-tree.ts';

/** Loaded only for `telemetry` in the file of a gateway, whose error names it where it is missing. */
const onDemand = new Set(['@opentelemetry/api']);

/** Every package that the demo or its programs import, directly or through the sources of Tenon. */
async function importedPackages(): Promise<Set<string>> {
  const { metafile } = await build({
    absWorkingDir: root,
    entryPoints: [
      'examples/demo/main.ts',
      'examples/demo/sign-in.ts',
      'examples/gateway/main.ts',
      'examples/gateway/clock.ts',
      // npm start prints a command to paste.
      'src/cli/main.ts',
      'examples/demo/sql/query-process.ts',
      'scripts/generate/main.ts',
    ],
    bundle: true,
    write: false,
    metafile: true,
    outdir: '.tenon/unused',
    format: 'esm',
    platform: 'node',
    packages: 'external',
    tsconfig: 'tsconfig.node.json',
    logLevel: 'silent',
  });
  const imports = Object.values(metafile.inputs).flatMap(({ imports: each }) => each);
  const paths = imports.filter(({ external, path }) => external && !isBuiltin(path)).map(({ path }) => path);
  return new Set(paths.map((path) => /^(@[^/]+\/)?[^/]+/.exec(path)?.[0] ?? path));
}

it('npm start installs the packages that the demo imports', async () => {
  const read = (path: string) => JSON.parse(readFileSync(join(root, path), 'utf8'));
  const installed = new Set([...Object.keys(read('package.json').dependencies), ...read('scripts/demo-packages.json')]);
  const imported = await importedPackages();
  expect(imported).toContain('zod');
  expect([...imported].filter((name) => !installed.has(name) && !onDemand.has(name))).toEqual([]);
});
