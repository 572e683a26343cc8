/** A bundled server contains only the code of the kinds of features it has. */
import { build } from 'esbuild';
import { describe, expect, it } from 'vitest';
import { root } from '../architecture/source-tree.ts';
import { dependencies } from './entries.ts';

/** The files with code in the bundle of a program that imports these names from `tenon`. */
async function filesFor(...names: string[]): Promise<string[]> {
  const { metafile } = await build({
    stdin: { contents: `export { ${names.join(', ')} } from './src/node/index.ts';`, resolveDir: root },
    absWorkingDir: root,
    bundle: true,
    write: false,
    metafile: true,
    format: 'esm',
    splitting: true,
    platform: 'node',
    target: 'es2023',
    external: [...dependencies],
    outdir: 'bundle',
    logLevel: 'silent',
  });
  const inputs = Object.values(metafile.outputs).flatMap((output) => Object.entries(output.inputs));
  return inputs.filter(([, { bytesInOutput }]) => bytesInOutput > 0).map(([file]) => file);
}

const filesOfKinds = {
  tool: ['src/server/features/tool.ts'],
  resource: ['src/server/features/resource.ts'],
  resourceTemplate: [
    'src/server/features/resource-template.ts',
    'src/server/features/resource.ts',
    'src/server/features/completion.ts',
    'src/protocol/uri-template/match.ts',
    'src/protocol/uri-template/parse.ts',
  ],
  prompt: ['src/server/features/prompt.ts', 'src/server/features/completion.ts'],
};

const all = new Set(Object.values(filesOfKinds).flat());

describe('A bundled server', () => {
  it.each(Object.entries(filesOfKinds))('with only a %s contains the code of no other kind', async (kind, own) => {
    const files = await filesFor('createServer', 'serveStdio', kind);
    expect(files.filter((file) => all.has(file)).sort()).toEqual([...own].sort());
  });

  it('contains no client code', async () => {
    const files = await filesFor('createServer', 'serveStdio', ...Object.keys(filesOfKinds));
    expect(files.filter((file) => file.startsWith('src/client/'))).toEqual([]);
    expect(files).toContain('src/server/kernel/kernel.ts');
  });
});
