/** Builds the page of the inspector into dist/inspector: one first file, and what is loaded when it is used. */
import { fileURLToPath } from 'node:url';
import { defineConfig } from 'vite';

// Also where tests start a build: with `test` the page would have the checks of a developer's build, and be larger.
if (process.argv.includes('build')) process.env.NODE_ENV = 'production';

const here = (path: string): string => fileURLToPath(new URL(path, import.meta.url));

export default defineConfig({
  root: here('.'),
  base: '/',
  logLevel: 'warn',
  oxc: { jsx: { runtime: 'automatic', importSource: 'preact' } },
  build: {
    outDir: here('../../dist/inspector'),
    emptyOutDir: true,
    target: 'es2023',
    // The polyfill is an inline script, which the content policy forbids.
    modulePreload: { polyfill: false },
    // A data URL is not the page's own origin.
    assetsInlineLimit: 0,
    // A busy machine is no reason for a notice.
    rolldownOptions: { checks: { pluginTimings: false } },
  },
  worker: { format: 'es' },
  // `npx vite apps/inspector` with a backend that runs already.
  server: { host: '127.0.0.1', proxy: { '/api': process.env.INSPECTOR ?? 'http://127.0.0.1:3000' } },
});
