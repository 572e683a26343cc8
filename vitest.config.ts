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

/** These count or replace all timers of the process, or measure its memory. */
const timing = [
  'test/client/api/closed-client.test.ts',
  'test/server/http/fetch.test.ts',
  'test/server/http/keep-alive-comments.test.ts',
  'test/client/reconnect/connection-cycles.test.ts',
];

/** Left out of `npm run check`: running the examples of the documents, comparing schema validators, compiling with the packed package. */
const slow = [
  'test/docs/examples.test.ts',
  'src/json-schema/**/*.property.test.ts',
  'test/package/declarations.test.ts',
];
const slowLeftOut = process.env.TENON_QUICK === undefined ? [] : slow;

/** Only in `npm run test:long`. */
const onlyLong = ['test/frameworks/**/*.test.ts', 'test/examples/cluster.test.ts'];

/** These repeat more in `npm run test:long` than in `npm test`: they use `test/kit/long.ts`. */
const scaled = [
  'test/auth/client/personas.test.ts',
  'test/client/reconnect/connection-cycles.test.ts',
  'test/cluster/chaos/chaos.test.ts',
  'test/cluster/simulation/simulation.test.ts',
  'test/guard/audit/crashes.test.ts',
  'test/guard/audit/tampering.property.test.ts',
  'test/node/http-server/hostile-requests.test.ts',
  'test/node/stdio/hostile-client.test.ts',
  'test/node/stdio/hostile-server.test.ts',
  'test/node/stdio/many-servers.test.ts',
  'test/protocol/official/validators.test.ts',
  'test/redis/faults.test.ts',
  'test/redis/redis.test.ts',
  'test/sqlite/faults.test.ts',
  'test/sqlite/like-memory.test.ts',
];

const long = { extends: true as const, test: { name: 'long', include: [...onlyLong, ...scaled] } };
const leftOut = [...onlyLong, ...slowLeftOut];

const projects = [
  // Loading the sources anew for every file takes longer than most files run: these leave nothing behind.
  {
    extends: true as const,
    test: { name: 'together', include: together, exclude: [...timing, ...leftOut], isolate: false },
  },
  // These change the process: its environment, standard streams, global providers.
  {
    extends: true as const,
    test: { name: 'alone', include: ['test/**/*.test.ts'], exclude: [...together, ...leftOut] },
  },
  { extends: true as const, test: { name: 'timing', include: timing } },
];

export default defineConfig({
  resolve: {
    alias: [
      { find: /^tenon$/, replacement: source('node/index.ts') },
      { find: /^tenon\/stdio$/, replacement: source('node/stdio-server/stdio.ts') },
      { find: /^tenon\/skills$/, replacement: source('node/skills/index.ts') },
      { find: /^tenon\/host$/, replacement: source('node/host/index.ts') },
      { find: /^tenon\/guard$/, replacement: source('node/guard/index.ts') },
      { find: /^tenon\/([a-z-]+)$/, replacement: source('$1/index.ts') },
    ],
  },
  test: {
    testTimeout: 120_000,
    hookTimeout: 120_000,
    pool: 'threads',
    setupFiles: ['test/kit/setup.ts'],
    projects: process.env.TENON_LONG === undefined ? projects : [long],
  },
});
