/** The packed package with a compiler, a bundler and `require`: one case of each kind; `npm run test:long -- matrix` has all. */
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { root } from '../../architecture/source-tree.ts';
import { peers } from '../entries.ts';
import { bundleWithEsbuild, codeOfUndici } from './bundles.ts';
import { compile, typePackages } from './compilers.ts';
import { type Packed, pack, printed } from './project.ts';

let packed: Packed;
beforeAll(async () => {
  packed = await pack();
});
afterAll(() => packed?.remove());

const node = process.execPath;

describe('the packed package', () => {
  it.each([
    ['CommonJS', 'commonjs', 'node16'],
    ['ESM', 'module', 'nodenext'],
  ] as const)('compiles in a project that is %s, and runs [S31]', async (_, type, module) => {
    const project = await packed.project(type, ...typePackages);
    expect(await compile(project, 'program.ts', { tsc: 'ts7', module, moduleResolution: module })).toEqual({
      code: 0,
      output: '',
    });
    expect(await project.run(node, ['out/program.js'])).toEqual({ code: 0, output: printed });
  });

  it('has every name of every entry for programs that require it', async () => {
    const project = await packed.project('commonjs', ...typePackages, ...peers);
    await project.write('names.ts', await importsOfEveryName());
    const compilation = { tsc: 'ts7', module: 'node16', moduleResolution: 'node16' } as const;
    expect(await compile(project, 'names.ts', compilation)).toEqual({ code: 0, output: '' });
  });

  it('is one module for `import` and `require`', async () => {
    const project = await packed.project('commonjs');
    const program = `
      const required = require('tenon');
      import('tenon').then((imported) => console.log(required.createServer === imported.createServer));`;
    await project.write('both.js', program);
    expect(await project.run(node, ['both.js'])).toEqual({ code: 0, output: 'true\n' });
  });

  it('becomes part of a minified bundle that runs where no package is installed', async () => {
    const project = await packed.project('module');
    const bare = await packed.bareFolder();
    const code = await bundleWithEsbuild(project.folder, 'esm');
    expect(codeOfUndici(code)).toEqual([]);
    await bare.write('program.mjs', code);
    expect(await bare.run(node, ['program.mjs'])).toEqual({ code: 0, output: printed });
  });

  it('uses undici where it is installed beside the bundle, and refuses its options elsewhere', async () => {
    const project = await packed.project('module');
    const program = `
      import { connect } from 'tenon';
      const target = { url: 'http://127.0.0.1:9/mcp', maxConnections: 1 };
      await connect(target).catch((error) => console.log(error.code));`;
    await project.write('program.ts', program);
    const code = await bundleWithEsbuild(project.folder, 'esm');
    await project.write('bundle.mjs', code);
    expect(await project.run(node, ['bundle.mjs'])).toEqual({ code: 0, output: 'connection-refused\n' });
    const bare = await packed.bareFolder();
    await bare.write('bundle.mjs', code);
    expect(await bare.run(node, ['bundle.mjs'])).toEqual({ code: 0, output: 'invalid-argument\n' });
  });
});

/** A program that imports each name that is pinned, values and types. */
async function importsOfEveryName(): Promise<string> {
  const file = await readFile(join(root, 'test/package/exports.json'), 'utf8');
  const pinned = JSON.parse(file) as Readonly<Record<string, Readonly<Record<string, 'value' | 'type'>>>>;
  const lines = Object.entries(pinned).flatMap(([entry, kinds], at) => {
    // The file of an entry for other runtimes has the types of the one for Node.
    if (/index\.js|-anywhere/.test(entry)) return [];
    const [from] = entry.split(' ');
    const named = (kind: string): string[] => Object.keys(kinds).filter((name) => kinds[name] === kind);
    const values = named('value').map((name) => `${name} as ${name}_${at}`);
    const types = named('type').map((name) => `type ${name} as ${name}_${at}`);
    const used = named('value').map((name) => `${name}_${at};`);
    return [`import { ${[...values, ...types].join(', ')} } from '${from}';`, ...used];
  });
  return lines.join('\n');
}
