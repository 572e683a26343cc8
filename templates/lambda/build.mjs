/** Bundles the function and its packages into one file, dist/lambda.mjs. */
import { build } from 'esbuild';

await build({
  entryPoints: ['src/lambda.ts'],
  bundle: true,
  minify: true,
  platform: 'node',
  format: 'esm',
  target: 'node24',
  // For packages that are CommonJS.
  banner: { js: "import { createRequire } from 'node:module'; const require = createRequire(import.meta.url);" },
  outfile: 'dist/lambda.mjs',
});
