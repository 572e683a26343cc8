/** Builds the playground into the files of the site: the page of the inspector, and a worker with its backend and a server. */
import { fileURLToPath } from 'node:url';
import { defineConfig } from 'vite';
import inspector from '../inspector/vite.config.ts';

const here = (path: string): string => fileURLToPath(new URL(path, import.meta.url));

export default defineConfig({
  ...inspector,
  root: here('.'),
  // Whatever path the site has.
  base: './',
  resolve: { alias: { tenon: here('../../src/index.ts') } },
  build: { ...inspector.build, outDir: here('../../site/pages/public/playground/app') },
  server: { host: '127.0.0.1' },
});
