import { fileURLToPath } from 'node:url';
import { defineConfig } from 'vitest/config';

const source = (path: string): string => fileURLToPath(new URL(`./src/${path}`, import.meta.url));

export default defineConfig({
  resolve: {
    alias: [
      { find: /^tenon$/, replacement: source('node/index.ts') },
      { find: /^tenon\/stdio$/, replacement: source('node/stdio.ts') },
      { find: /^tenon\/skills$/, replacement: source('extensions/skills/index.ts') },
      { find: /^tenon\/host$/, replacement: source('node/host.ts') },
      { find: /^tenon\/([a-z-]+)$/, replacement: source('$1/index.ts') },
    ],
  },
  test: {
    include: ['src/**/*.test.ts', 'test/**/*.test.ts'],
    testTimeout: 120_000,
    hookTimeout: 120_000,
    pool: 'threads',
  },
});
