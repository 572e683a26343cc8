import { fileURLToPath } from 'node:url';
import { defineConfig } from 'vitest/config';

const source = (path: string): string => fileURLToPath(new URL(`./src/${path}`, import.meta.url));

const together = ['src/**/*.test.ts'].concat(
  [
    'client',
    'extensions',
    'host',
    'json-schema',
    'jsonrpc',
    'node/http-server',
    'protocol',
    'scenarios',
    'server',
    'store',
  ].map((name) => `test/${name}/**/*.test.ts`),
);

/** These count or replace all timers of the process, or weigh its memory. */
const timing = [
  'test/client/api/closed-client.test.ts',
  'test/client/calls/replaced-timers.test.ts',
  'test/server/http/fetch.test.ts',
  'test/server/http/keep-alive-comments.test.ts',
  'test/client/life/connection-cycles.test.ts',
];

/** Running the examples of the documents, and comparing schema validators, is left out of `npm run check`. */
const slow = ['test/docs/examples.test.ts', 'src/json-schema/**/*.property.test.ts'];
const left = process.env.TENON_QUICK === undefined ? [] : slow;

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
    testTimeout: 120_000,
    hookTimeout: 120_000,
    pool: 'threads',
    projects: [
      // Loading the sources anew for every file takes longer than most files run: these leave nothing behind.
      { extends: true, test: { name: 'together', include: together, exclude: [...timing, ...left], isolate: false } },
      // These change the process: its environment, standard streams, global providers.
      { extends: true, test: { name: 'alone', include: ['test/**/*.test.ts'], exclude: [...together, ...left] } },
      { extends: true, test: { name: 'timing', include: timing } },
    ],
  },
});
