import { fileURLToPath } from 'node:url';
import { defineConfig } from 'vitest/config';
import { BaseSequencer, type TestSpecification } from 'vitest/node';

const source = (path: string): string => fileURLToPath(new URL(`./src/${path}`, import.meta.url));

/** These change what other files of the process would see: they replace modules, its clock, its standard streams or its telemetry providers. */
const alone = [
  'test/cluster/simulation/**/*.test.ts',
  'test/input-safety/path-races.test.ts',
  'test/node/stdio/behaviour/*.test.ts',
  'test/telemetry/**/*.test.ts',
];

/** These count or replace all timers of the process, or measure its memory. */
const timing = [
  'test/client/api/closed-client.test.ts',
  'test/server/http/expired-credentials.test.ts',
  'test/server/http/fetch.test.ts',
  'test/server/http/keep-alive-comments.test.ts',
  'test/client/reconnect/connection-cycles.test.ts',
];

/** Left out of `npm run check`: running the examples of the documents, comparing schema validators, compiling with the packed package, its size, a project made with it. */
const slow = [
  'test/docs/examples.test.ts',
  'src/json-schema/**/*.property.test.ts',
  'test/package/declarations.test.ts',
  'test/package/installed-size.test.ts',
  'test/package/new-project.test.ts',
];
const slowLeftOut = process.env.TENON_QUICK === undefined ? [] : slow;

/** Only in `npm run test:long`. */
const onlyLong = [
  'test/frameworks/**/*.test.ts',
  'test/examples/cluster.test.ts',
  'test/package/npx.test.ts',
  'test/cli/grid/*.test.ts',
];

/** These repeat more in `npm run test:long` than in `npm test`: they use `test/kit/long.ts`. */
const scaled = [
  'src/json-schema/agreement.property.test.ts',
  'src/json-schema/compiler/evaluation.property.test.ts',
  'src/json-schema/form-plan.property.test.ts',
  'test/contract/inclusion.property.test.ts',
  'src/protocol/uri-template/match.property.test.ts',
  'src/protocol/wires.property.test.ts',
  'test/auth/client/personas.test.ts',
  'test/client/reconnect/connection-cycles.test.ts',
  'test/cluster/chaos/chaos.test.ts',
  'test/cluster/simulation/simulation.test.ts',
  'test/cluster/tasks/crash-matrix.test.ts',
  'test/cluster/simulation/tasks/task-simulation.test.ts',
  'test/client/reconnect/model.test.ts',
  'test/guard/audit/crashes.test.ts',
  'test/guard/audit/tampering.property.test.ts',
  'test/guard/policy/reference.property.test.ts',
  'test/inspector/forms/forms.test.ts',
  'test/inspector/hostile/hostile.test.ts',
  'test/inspector/many/many-messages.test.ts',
  'test/inspector/page/timeline.test.ts',
  'test/inspector/walk/everything.test.ts',
  'test/inspector/walk/server-requests.test.ts',
  'test/node/http-server/hostile-requests.test.ts',
  'test/node/stdio/hostile-client.test.ts',
  'test/node/stdio/hostile-server.test.ts',
  'test/node/stdio/many-servers.test.ts',
  'test/package/declarations.test.ts',
  'test/protocol/official/core-package.test.ts',
  'test/protocol/official/validators.test.ts',
  'test/redis/faults.test.ts',
  'test/redis/redis.test.ts',
  'test/server/tasks/model/crashes.test.ts',
  'test/server/tasks/model/records-model.test.ts',
  'test/sqlite/faults.test.ts',
  'test/sqlite/like-memory.test.ts',
];

/** These take longest, half of it waiting: they start first, and the many short files fill the workers to the end. */
const longest = [
  'test/cluster/tasks/crash-matrix.test.ts',
  'test/protocol/official/validators.test.ts',
  'test/examples/demo.test.ts',
  'test/examples/host.test.ts',
  'test/examples/demo-data.test.ts',
  'test/attacks/http/held-output.test.ts',
  'test/attacks/messages/large-messages.test.ts',
  'test/node/stdio/signal-listeners.test.ts',
  'test/node/credentials/processes.test.ts',
  'test/docs/examples.test.ts',
  'test/package/declarations.test.ts',
  'test/json-schema/hostile.test.ts',
  'test/client/reconnect/model.test.ts',
  'test/node/stdio/peers/our-client.test.ts',
  'test/node/http-server/hostile-requests.test.ts',
  'test/examples/demo-writers.test.ts',
  'test/node/stdio/hostile-client.test.ts',
  'test/browser/sign-in.test.ts',
  'test/types/types.test.ts',
];

class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    // Sorted by project, and files of a project that shares a process must stay together.
    const sorted = await super.sort(files);
    const projects = [...new Set(sorted.map(({ project }) => project))];
    const rank = ({ moduleId }: TestSpecification): number => {
      const at = longest.findIndex((name) => moduleId.endsWith(`/${name}`));
      return at === -1 ? longest.length : at;
    };
    return projects.flatMap((project) =>
      sorted.filter((file) => file.project === project).sort((one, other) => rank(one) - rank(other)),
    );
  }
}

const long = { extends: true as const, test: { name: 'long', include: [...onlyLong, ...scaled] } };
const leftOut = [...onlyLong, ...slowLeftOut];

const projects = [
  { extends: true as const, test: { name: 'alone', include: alone, exclude: leftOut } },
  // Loading the sources anew for every file takes longer than most files run: these leave nothing behind.
  {
    extends: true as const,
    test: {
      name: 'together',
      include: ['src/**/*.test.ts', 'test/**/*.test.ts'],
      exclude: [...alone, ...timing, ...leftOut],
      isolate: false,
    },
  },
  { extends: true as const, test: { name: 'timing', include: timing } },
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
      { find: /^tenon\/guard$/, replacement: source('node/entries/guard.ts') },
      { find: /^tenon\/capture$/, replacement: source('node/entries/capture.ts') },
      { find: /^tenon\/([a-z-]+)$/, replacement: source('$1/index.ts') },
    ],
  },
  test: {
    // Waits of tests have limits of their own: this one is for what only takes long, such as a compiler on a busy machine.
    testTimeout: 300_000,
    hookTimeout: 300_000,
    expect: { poll: { timeout: 60_000 } },
    pool: 'threads',
    setupFiles: ['test/kit/setup.ts'],
    sequence: { sequencer: LongestFirst },
    projects: process.env.TENON_LONG === undefined ? projects : [long],
  },
});
