/** A server carries the code of those kinds of definitions only that it has. */
import { build } from 'esbuild';
import { describe, expect, it } from 'vitest';
import { root } from '../architecture/source-tree.ts';
import { dependencies } from './entries.ts';

/** The files of the server and of URI templates that have code in a program which takes these from `tenon`. */
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

const carried = {
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

const all = new Set(Object.values(carried).flat());

describe('A bundled server', () => {
  it.each(Object.entries(carried))(
    'that has a %s and nothing else has its code and that of no other kind',
    async (maker, its) => {
      const files = await filesFor('createServer', 'serveStdio', maker);
      expect(files.filter((file) => all.has(file)).sort()).toEqual([...its].sort());
    },
  );

  it('has no code of clients', async () => {
    const files = await filesFor('createServer', 'serveStdio', ...Object.keys(carried));
    expect(files.filter((file) => file.startsWith('src/client/'))).toEqual([]);
    expect(files).toContain('src/server/kernel/kernel.ts');
  });
});
