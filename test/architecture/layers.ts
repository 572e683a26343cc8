/** Who may import whom: the one table of folders under src, from the lowest tier to the highest. */

/** A folder may import every folder of a lower tier, and in its own tier only what `beside` lists. */
export const tiers: readonly (readonly string[])[] = [
  ['lib'],
  ['jsonrpc', 'transport', 'schema', 'store'],
  ['protocol'],
  ['ports'],
  ['server', 'client', 'driver', 'auth-pages'],
  ['forwarding'],
  [
    'json-schema',
    'auth',
    'dev-auth',
    'guard',
    'host',
    'official',
    'capture',
    'extensions',
    'node',
    'sqlite',
    'redis',
    'postgres',
    'telemetry',
    'input-safety',
  ],
  ['contract', 'auth-server', 'openapi'],
  ['agents'],
  ['gateway'],
  ['code-mode', 'inspector', 'test'],
  ['cli'],
];

export const beside: Readonly<Record<string, readonly string[]>> = {
  transport: ['jsonrpc'],
  schema: ['jsonrpc'],
  store: ['jsonrpc'],
  extensions: ['host'],
  node: ['host', 'official', 'extensions', 'auth', 'guard', 'sqlite', 'redis', 'postgres', 'capture'],
};

/** Folders that may import only these, whatever their tier allows. */
export const only: Readonly<Record<string, readonly string[]>> = {
  'json-schema': ['schema', 'lib'],
};

/** Files directly under src; they may import every folder. */
export const roots: readonly string[] = ['src/index.ts'];

/** Folders that may use Node: `node:` imports and the types of its globals. */
export const nodeFolders: readonly string[] = [
  'node',
  'dev-auth',
  'auth-server',
  'input-safety',
  'driver',
  'sqlite',
  'redis',
  'postgres',
  'inspector',
  'openapi',
  'code-mode',
  'gateway',
  'cli',
];

/** The packages a folder, or a single file, may import. What is not listed imports none. */
export const packages: Readonly<Record<string, readonly string[]>> = {
  'src/transport/sse.ts': ['eventsource-parser'],
  'src/node/http-client/dispatchers.ts': ['undici'],
  'src/node/http-client/node-fetch.ts': ['undici'],
  'src/node/http-client/undici-port.ts': ['undici'],
  'src/node/http-client/open-port.ts': ['undici'],
  'src/input-safety/urls/connections.ts': ['undici'],
  'src/node/child/server-process.ts': ['cross-spawn'],
  'src/extensions/skills/frontmatter.ts': ['yaml'],
  'src/json-schema': ['typebox', 're2js'],
  'src/telemetry': ['@opentelemetry/api'],
  'src/auth': ['jose', 'oauth4webapi'],
  'src/guard': ['yaml', '@marcbachmann/cel-js', 're2js'],
  'src/auth-server': ['oidc-provider', 'oauth4webapi', 'jose'],
  'src/dev-auth': ['oidc-provider', 'jose'],
  'src/openapi/document/read-yaml.ts': ['yaml'],
  'src/code-mode': ['quickjs-emscripten'],
  'src/gateway/config/config-document.ts': ['yaml'],
  'src/redis': ['ioredis'],
  'src/postgres': ['pg'],
  'src/cli': ['jsonc-parser', '@clack/prompts', 'fflate'],
};
