import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { defineConfig } from 'tsdown';
import { finishDeclarations } from './scripts/build/declarations.ts';
import { smallPackages } from './scripts/build/small-packages.ts';

/** Each revision has a folder of its own, and types of its messages. */
const revisions = readdirSync(new URL('./src/protocol/revisions', import.meta.url), { withFileTypes: true });
const messageTypes = revisions
  .filter((entry) => entry.isDirectory())
  .map(({ name }) => [`protocol/${name}`, `src/protocol/generated/types/${name}.ts`]);

/** One file for what the folders hold: a program that is not bundled waits for every file it loads. What only `import()` reaches stays apart. */
const part = (name: string, folders: RegExp) => ({
  name,
  test: (id: string) => folders.test(id) && !/(\.d|\/index|\/generated\/types\/.*)\.ts$/.test(id),
  tags: ['$initial' as const],
});

/** The first that holds a module takes it. */
const groups = [
  part('client', /src\/(client\/|transport\/sse\.)|\/eventsource-parser\//),
  part('core', /src\/(lib|jsonrpc|protocol|schema|transport|store\/durability)/),
  part('http', /src\/server\/http\//),
  part('server', /src\/(server\/|ports\/|store\/(timed|once))/),
  part('store', /src\/store\/(?!testing\/)/),
  part(
    'process',
    /src\/(node\/(process|pipe)\/|node\/(open-store|service-store|task-worker)|node\/stdio-server\/(?!stdio\.|guard\.)|driver\/encryption\/options)/,
  ),
  part('network', /src\/node\/(connect\.|credentials\/|http-server\/|http-client\/|child\/)/),
];

/**
 * The entries whose types the declarations of an entry mention: each type has its name in one entry, and the compiler finds
 * it only in declarations that are loaded.
 */
export const loads: Readonly<Record<string, readonly string[]>> = {
  node: ['server', 'client', 'protocol', 'store', 'transport'],
  index: ['server', 'client', 'protocol', 'store', 'transport'],
  server: ['protocol', 'store', 'transport'],
  client: ['protocol', 'transport'],
  stdio: ['server', 'protocol', 'store', 'transport'],
  transport: ['protocol'],
  'json-schema': ['protocol'],
  extensions: ['server', 'client', 'protocol', 'store', 'transport'],
  skills: ['server', 'client', 'protocol', 'store', 'transport'],
  'skills-anywhere': ['server', 'client', 'protocol', 'store', 'transport'],
  telemetry: ['server', 'client', 'protocol', 'store', 'transport'],
  auth: ['server', 'client', 'protocol', 'store', 'transport'],
  'auth-server': ['auth', 'server', 'client', 'protocol', 'store', 'transport'],
  'auth-anywhere': ['server', 'client', 'protocol', 'store', 'transport'],
  guard: ['server', 'protocol', 'store', 'transport'],
  'guard-anywhere': ['server', 'protocol', 'store', 'transport'],
  capture: ['server', 'client', 'protocol', 'store', 'transport'],
  'capture-anywhere': ['server', 'client', 'protocol', 'store', 'transport'],
  inspector: ['guard', 'node', 'server', 'client', 'protocol', 'store', 'transport'],
  contract: ['capture', 'client', 'protocol', 'store', 'transport'],
  agents: ['host-anywhere', 'guard-anywhere', 'server', 'client', 'protocol', 'store', 'transport'],
  'agents-code': ['agents', 'host-anywhere', 'guard-anywhere', 'server', 'client', 'protocol', 'store', 'transport'],
  'store-testing': ['store'],
  sqlite: ['store'],
  redis: ['store'],
  postgres: ['store'],
  host: ['guard', 'node', 'server', 'client', 'protocol', 'store', 'transport'],
  'host-anywhere': ['guard-anywhere', 'server', 'client', 'protocol', 'store', 'transport'],
  official: ['server', 'protocol', 'store', 'transport'],
  'official-anywhere': ['server', 'protocol', 'store', 'transport'],
  openapi: ['server', 'client', 'protocol', 'store', 'transport'],
  gateway: ['host-anywhere', 'guard-anywhere', 'server', 'client', 'protocol', 'store', 'transport'],
  test: ['server', 'client', 'protocol', 'store', 'transport'],
};

/** The declarations that package.json offers, without their endings. */
const offered = [
  ...readFileSync(new URL('./package.json', import.meta.url), 'utf8').matchAll(/"\.\/dist\/(.+)\.d\.cts"/g),
].map(([, name = '']) => name);

/** Adds the imports to the built declarations; a bundler removes imports that it finds unused. */
function loadDeclarations(folder: string): void {
  for (const [entry, others] of Object.entries(loads)) {
    const file = join(folder, `${entry}.d.ts`);
    const lines = others.map((other) => `import type {} from './${other}.js';\n`);
    writeFileSync(file, lines.join('') + readFileSync(file, 'utf8'));
  }
}

export default defineConfig({
  plugins: [smallPackages],
  hooks: {
    'build:done': ({ options: { outDir } }) => {
      loadDeclarations(outDir);
      finishDeclarations(outDir, offered);
    },
  },
  entry: {
    index: 'src/index.ts',
    node: 'src/node/index.ts',
    stdio: 'src/node/stdio-server/stdio.ts',
    'stdio-guard': 'src/node/stdio-server/guard.ts',
    server: 'src/server/index.ts',
    client: 'src/client/index.ts',
    protocol: 'src/protocol/index.ts',
    'json-schema': 'src/json-schema/index.ts',
    extensions: 'src/extensions/index.ts',
    skills: 'src/node/entries/skills.ts',
    'skills-anywhere': 'src/extensions/skills/index.ts',
    telemetry: 'src/telemetry/index.ts',
    auth: 'src/node/entries/auth.ts',
    'auth-anywhere': 'src/auth/index.ts',
    'auth-server': 'src/auth-server/index.ts',
    'dev-auth': 'src/dev-auth/index.ts',
    guard: 'src/node/entries/guard.ts',
    'guard-anywhere': 'src/guard/index.ts',
    'input-safety': 'src/input-safety/index.ts',
    transport: 'src/transport/index.ts',
    capture: 'src/node/entries/capture.ts',
    'capture-anywhere': 'src/capture/index.ts',
    inspector: 'src/inspector/index.ts',
    contract: 'src/contract/index.ts',
    agents: 'src/agents/index.ts',
    'agents-code': 'src/code-mode/index.ts',
    store: 'src/store/index.ts',
    'store-testing': 'src/store/testing/index.ts',
    sqlite: 'src/sqlite/index.ts',
    redis: 'src/redis/index.ts',
    postgres: 'src/postgres/index.ts',
    host: 'src/node/entries/host.ts',
    'host-anywhere': 'src/host/index.ts',
    official: 'src/node/entries/official.ts',
    'official-anywhere': 'src/official/index.ts',
    openapi: 'src/openapi/index.ts',
    gateway: 'src/gateway/index.ts',
    test: 'src/test/index.ts',
    cli: 'src/cli/main.ts',
    ...Object.fromEntries(messageTypes),
  },
  format: 'esm',
  platform: 'neutral',
  target: 'es2023',
  dts: true,
  clean: true,
  hash: false,
  // The neutral platform knows no built-in modules; the entries for Node import these.
  deps: {
    neverBundle: [/^node:/],
    onlyBundle: [
      'typebox',
      'eventsource-parser',
      'yaml',
      'jsonc-parser',
      '@clack/prompts',
      '@clack/core',
      'fast-string-width',
      'fast-string-truncated-width',
      'fast-wrap-ansi',
      'sisteransi',
      'fflate',
    ],
  },
  inputOptions: {
    // The neutral platform has none, and jsonc-parser has no exports.
    resolve: { mainFields: ['module', 'main'] },
    // The groups above need it: a part may export more than an entry does.
    preserveEntrySignatures: 'allow-extension',
    // Nearly all of a build's time goes into the declarations, which are written by a plugin.
    checks: { pluginTimings: false },
  },
  outputOptions: (options) => ({
    ...options,
    // Away from the entries: without hashes a part named like an entry would take its place.
    chunkFileNames: 'parts/[name].js',
    codeSplitting: { includeDependenciesRecursively: false, groups },
    // Who reads documentation reads it in the types.
    comments: { jsdoc: false },
  }),
  outDir: 'dist',
  copy: [{ from: 'src/protocol/generated/schema', to: 'dist' }],
});
