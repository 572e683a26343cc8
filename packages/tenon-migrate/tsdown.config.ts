/** The build of `tenon-migrate`; its dependencies stay imports. */
import { defineConfig } from 'tsdown';

export default defineConfig({
  entry: { main: 'src/main.ts' },
  format: 'esm',
  platform: 'node',
  target: 'es2023',
  dts: false,
  clean: true,
  hash: false,
  outputOptions: { entryFileNames: '[name].js' },
  outDir: 'dist',
});
