import { fileURLToPath } from 'node:url';
import { defineConfig } from 'vitest/config';
import { beginsWith, filesOf } from './test/tiers.ts';

const source = (path: string): string => fileURLToPath(new URL(`./src/${path}`, import.meta.url));

/** These change what other files of the process would see: they replace modules, its clock, its standard streams or its telemetry providers. */
const alone = [
  'test/cluster/simulation/',
  'test/input-safety/path-races.test.ts',
  'test/node/stdio/behaviour/',
  'test/telemetry/',
];

/** These count or replace all timers of the process, or measure its memory. */
const timing = [
  'test/client/api/closed-client.test.ts',
  'test/code-mode/attempts.test.ts',
  'test/code-mode/suspended.test.ts',
  'test/server/http/expired-credentials.test.ts',
  'test/server/http/fetch.test.ts',
  'test/server/http/keep-alive-comments.test.ts',
  'test/client/reconnect/connection-cycles.test.ts',
];

const tier = process.env.TENON_TIER;
const files = filesOf(tier);
const apart = files.filter((file) => beginsWith([...alone, ...timing], file));

const projects = [
  { extends: true as const, test: { name: 'alone', include: apart.filter((file) => beginsWith(alone, file)) } },
  // Loading the sources anew for every file takes longer than most files run: these leave nothing behind.
  {
    extends: true as const,
    test: { name: 'together', include: files.filter((file) => !apart.includes(file)), isolate: tier === 'long' },
  },
  { extends: true as const, test: { name: 'timing', include: apart.filter((file) => beginsWith(timing, file)) } },
];

export default defineConfig({
  resolve: {
    alias: [
      { find: /^tenon$/, replacement: source('node/index.ts') },
      { find: /^tenon\/stdio\/guard$/, replacement: source('node/stdio-server/guard.ts') },
      { find: /^tenon\/stdio$/, replacement: source('node/stdio-server/stdio.ts') },
      { find: /^tenon\/auth$/, replacement: source('node/entries/auth.ts') },
      { find: /^tenon\/skills$/, replacement: source('node/entries/skills.ts') },
      { find: /^tenon\/host$/, replacement: source('node/entries/host.ts') },
      { find: /^tenon\/official$/, replacement: source('node/entries/official.ts') },
      { find: /^tenon\/guard$/, replacement: source('node/entries/guard.ts') },
      { find: /^tenon\/capture$/, replacement: source('node/entries/capture.ts') },
      { find: /^tenon\/agents\/code$/, replacement: source('code-mode/index.ts') },
      { find: /^tenon\/store\/testing$/, replacement: source('store/testing/index.ts') },
      { find: /^tenon\/([a-z-]+)$/, replacement: source('$1/index.ts') },
    ],
  },
  test: {
    // Waits of tests have limits of their own: this one is for what only takes long, such as a compiler on a busy machine.
    testTimeout: tier === 'long' ? 900_000 : 300_000,
    hookTimeout: tier === 'long' ? 900_000 : 300_000,
    expect: { poll: { timeout: 60_000 } },
    // Problems that a check has found are texts: the first lines name them.
    chaiConfig: { truncateThreshold: 1000 },
    pool: 'threads',
    setupFiles: ['test/kit/setup.ts'],
    projects,
  },
});
