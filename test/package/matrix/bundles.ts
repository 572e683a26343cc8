/** The program of the matrix as one file, by each bundler, and what must not be in it. */
import { join } from 'node:path';
import { build, transform } from 'esbuild';

export async function bundleWithEsbuild(folder: string, format: 'esm' | 'cjs', banner = ''): Promise<string> {
  const { outputFiles } = await build({
    entryPoints: [join(folder, 'program.ts')],
    bundle: true,
    minify: true,
    write: false,
    format,
    banner: { js: banner },
    platform: 'node',
    target: 'node20',
    logLevel: 'silent',
  });
  return outputFiles.map(({ text }) => text).join('\n');
}

/** The program in JavaScript, for bundlers that read no TypeScript. */
export const toJavaScript = async (text: string): Promise<string> => (await transform(text, { loader: 'ts' })).code;

/** Names that undici exports and Tenon does not use. A minifier leaves the names of exports as they are. */
const names = ['MockAgent', 'RetryAgent', 'SnapshotAgent'];

/** The names of undici in a bundle: it must not be there, as it is CommonJS and larger than all of Tenon. */
export const codeOfUndici = (bundle: string): string[] => names.filter((name) => bundle.includes(name));
