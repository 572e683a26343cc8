/** Which command runs a test file: the table that vitest.config.ts reads. */
import { readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

/** The values of `TENON_TIER`: `npm test`, `npm run test:system`, `test:long`, `test:node24`, and `npm run check`. */
export const tiers = ['fast', 'system', 'long', 'node24', 'check'] as const;
export type Tier = (typeof tiers)[number];

/**
 * The first entry that a path begins with decides; a file without one is in `npm test`. In `npm run test:system` is
 * what starts processes, browsers or databases, packs or compiles; only in `npm run test:long` what takes minutes.
 */
export const table: readonly (readonly [beginning: string, tier: 'fast' | 'system' | 'long'])[] = [
  ['test/agents/peers/', 'long'],
  ['test/cli/grid/', 'long'],
  ['test/examples/cluster.test.ts', 'long'],
  ['test/deploy/bun-deno.test.ts', 'long'],
  ['test/deploy/image.test.ts', 'long'],
  ['test/deploy/lambda.test.ts', 'long'],
  ['test/deploy/manifests.test.ts', 'long'],
  ['test/deploy/next.test.ts', 'long'],
  ['test/deploy/workers.test.ts', 'long'],
  ['test/frameworks/', 'long'],
  ['test/gateway/chaos.test.ts', 'long'],
  ['test/package/matrix/small.test.ts', 'system'],
  ['test/package/matrix/', 'long'],
  ['test/official/published/', 'long'],
  ['test/openapi/directory/', 'long'],
  ['test/package/npx.test.ts', 'long'],
  ['test/package/release-run.test.ts', 'long'],
  ['test/package/templates.test.ts', 'long'],
  ['test/publish/', 'long'],

  ['test/agents/broken-schemas.test.ts', 'system'],
  ['test/attacks/', 'system'],
  ['test/auth-server/attacks/', 'system'],
  ['test/auth-server/cluster/', 'system'],
  ['test/auth-server/storage/stores.test.ts', 'system'],
  ['test/auth/client/personas.test.ts', 'system'],
  ['test/auth-pages/browser.test.ts', 'system'],
  ['test/auth-server/sign-in/', 'system'],
  ['test/browser/', 'system'],
  ['test/capture/official-clients.test.ts', 'system'],
  ['test/capture/secrets.test.ts', 'system'],
  ['test/cli/', 'system'],
  ['test/client/http/published-servers.test.ts', 'system'],
  ['test/client/reconnect/connection-cycles.test.ts', 'system'],
  ['test/client/reconnect/model.test.ts', 'system'],
  ['test/client/reconnect/process-exit.test.ts', 'system'],
  ['test/client/reconnect/restarted-', 'system'],
  ['test/client/tasks/remembered-tasks.test.ts', 'system'],
  ['test/cluster/', 'system'],
  ['test/code-mode/attempts.test.ts', 'system'],
  ['test/gateway/command/crash.test.ts', 'system'],
  ['test/gateway/command/example.test.ts', 'system'],
  ['test/gateway/command/process.test.ts', 'system'],
  ['test/conformance/', 'system'],
  ['test/contract/types.test.ts', 'system'],
  ['test/deploy/', 'system'],
  ['test/dev-auth/', 'system'],
  ['test/docs/examples.test.ts', 'system'],
  ['test/driver/', 'system'],
  ['test/examples/', 'system'],
  ['test/gateway/credentials/third-party.test.ts', 'system'],
  ['test/gateway/node-stores.test.ts', 'system'],
  ['test/gateway/processes.test.ts', 'system'],
  ['test/guard/approvals/killed.test.ts', 'system'],
  ['test/guard/approvals/page.test.ts', 'system'],
  ['test/guard/approvals/stores.test.ts', 'system'],
  ['test/guard/audit/crashes.test.ts', 'system'],
  ['test/guard/audit/folders.test.ts', 'system'],
  ['test/host/processes.test.ts', 'system'],
  ['test/inspector/', 'system'],
  ['test/json-schema/', 'system'],
  ['test/migrate/running.test.ts', 'system'],
  ['test/migrate/types.test.ts', 'system'],
  ['test/node/http-server/hostile-requests.test.ts', 'system'],
  ['test/node/http-server/process-exit.test.ts', 'system'],
  ['test/node/http-server/signals.test.ts', 'system'],
  ['test/node/http-server/tls.test.ts', 'system'],
  ['test/node/http-server/', 'fast'],
  ['test/node/stdio/behaviour/', 'fast'],
  ['test/node/', 'system'],
  ['test/official/concurrent-calls.test.ts', 'system'],
  ['test/official/published-servers.test.ts', 'system'],
  ['test/official/signed-in-clients.test.ts', 'system'],
  ['test/package/', 'system'],
  ['test/postgres/', 'system'],
  ['test/protocol/dialects/tasks-over-stdio.test.ts', 'system'],
  ['test/protocol/official/core-package.test.ts', 'system'],
  ['test/protocol/official/validators.test.ts', 'system'],
  ['test/redis/', 'system'],
  ['test/server/http/official-clients.test.ts', 'system'],
  ['test/site/site.test.ts', 'system'],
  ['test/sqlite/faults.test.ts', 'system'],
  ['test/sqlite/several-processes.test.ts', 'system'],
  ['test/telemetry/client-counters.test.ts', 'system'],
  ['test/types/', 'system'],
];

/**
 * Repeated by `npm run test:node24`, samples where `npm test` has them: what uses files, processes, sockets, timers,
 * memory or native packages. What uses only the language has the same result on every Node.
 */
export const machine: readonly string[] = [
  'src/node/',
  'src/transport/',
  'test/client/api/closed-client.test.ts',
  'test/client/calls/timeouts.test.ts',
  'test/client/http/',
  'test/client/reconnect/connection-cycles.test.ts',
  'test/client/reconnect/graceful-restart.test.ts',
  'test/client/reconnect/process-exit.test.ts',
  'test/client/reconnect/restarted-',
  'test/cluster/nodes/served.test.ts',
  'test/code-mode/',
  'test/examples/demo.test.ts',
  'test/examples/first.test.ts',
  'test/examples/start.test.ts',
  'test/guard/audit/folders.test.ts',
  'test/host/processes.test.ts',
  'test/node/',
  'test/postgres/failing.test.ts',
  'test/redis/failing.test.ts',
  'test/server/http/',
  'test/sqlite/',
  'test/telemetry/',
];

/** In `npm run check`: the fast tests of these folders, and the pins of the package. */
const quick = ['src/', 'test/architecture/', 'test/docs/', 'test/options/'];
export const pins = [
  'exports',
  'loading',
  'lock',
  'packed-links',
  'shaking',
  'sizes',
  'third-party-notices',
  'version',
].map((name) => `test/package/${name}.test.ts`);

/** A test that calls `sampled` runs some of its cases in `npm test` and all of them in `npm run test:system`. */
const sampled = 'kit/sampled.ts';
/** A test that calls `scaled` repeats more in `npm run test:long`. */
const scaled = 'kit/long.ts';

const root = fileURLToPath(new URL('..', import.meta.url));

/** All test files, as paths from the root of the repository. */
export const testFiles = (): string[] =>
  ['src', 'test'].flatMap((folder) =>
    readdirSync(`${root}${folder}`, { recursive: true, encoding: 'utf8' })
      .filter((name) => name.endsWith('.test.ts'))
      .map((name) => `${folder}/${name}`)
      .sort(),
  );

export const tierOf = (file: string): Tier => table.find(([beginning]) => file.startsWith(beginning))?.[1] ?? 'fast';

export const beginsWith = (beginnings: readonly string[], file: string): boolean =>
  beginnings.some((beginning) => file.startsWith(beginning));

const imports = (file: string, module: string): boolean => readFileSync(`${root}${file}`, 'utf8').includes(module);

const belongs: Record<Tier, (file: string) => boolean> = {
  fast: (file) => tierOf(file) === 'fast',
  system: (file) => tierOf(file) === 'system' || imports(file, sampled),
  long: (file) => tierOf(file) === 'long' || imports(file, scaled),
  node24: (file) => beginsWith(machine, file) && tierOf(file) !== 'long',
  check: (file) => (tierOf(file) === 'fast' && beginsWith(quick, file)) || beginsWith(pins, file),
};

/** The files of a tier. Without one, as in `npx vitest run`, all but those that run only in `npm run test:long`. */
export function filesOf(tier: string | undefined): string[] {
  if (tier === undefined) return testFiles().filter((file) => tierOf(file) !== 'long');
  const belongsTo = belongs[tier as Tier];
  if (belongsTo === undefined) throw new Error(`TENON_TIER is "${tier}": it must be one of ${tiers.join(', ')}`);
  return testFiles().filter(belongsTo);
}
