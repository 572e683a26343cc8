/** Bundles `page/main.ts` into `page/index.html`. */
import { readFile, writeFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';

const path = (name: string): string => fileURLToPath(new URL(name, import.meta.url));

export async function bundlePage(): Promise<string> {
  const { outputFiles } = await build({
    entryPoints: [path('../page/main.ts')],
    bundle: true,
    minify: true,
    format: 'esm',
    target: 'es2022',
    write: false,
  });
  const html = await readFile(path('../page/index.html'), 'utf8');
  return html.replace('<!-- main.ts -->', () => `<script type="module">${outputFiles[0]?.text}</script>`);
}

/** `npm run build` calls it in `dist`. */
export const writePage = async (): Promise<void> => writeFile(path('page.html'), await bundlePage());
