/** The areas of the product, each a page of limits. */

export interface Area {
  /** The page, in `docs/guide/limits`. */
  readonly page: string;
  /** Whose options these are, as the page says it. */
  readonly of: string;
}

export const areas: Readonly<Record<string, Area>> = {
  server: { page: 'server', of: '`createServer`' },
  messages: {
    page: 'messages',
    of: '`serveHttp`, `toNodeHandler`, `toFetchHandler`, `serveStdio` and `connect`: both sides check what they receive and send',
  },
  HTTP: {
    page: 'http',
    of: '`serveHttp`, and but for the listening also of `toNodeHandler` and `toFetchHandler`; see [HTTP](../http.md)',
  },
  stdio: { page: 'stdio', of: '`serveStdio`; see [stdio](../stdio.md)' },
  client: { page: 'client', of: '`connect` and `createClient`, unless the row names another function' },
  host: { page: 'host', of: '`createHost`; see [hosts](../hosts.md)' },
  'JSON Schema': { page: 'json-schema', of: '`fromJsonSchema`' },
  contract: { page: 'contract', of: '[contracts](../contracts.md), which have none' },
  'input safety': {
    page: 'input-safety',
    of: '`createPathRoot` and `createUrlGuard` of [untrusted input](../input-safety.md)',
  },
  auth: { page: 'auth', of: '`protect` of [protecting a server](../protecting-a-server.md)' },
  'auth-server': {
    page: 'auth-server',
    of: '`authorizationServer` of [signing in with a provider](../sign-in-with-a-provider.md)',
  },
  credentials: {
    page: 'credentials',
    of: '`oauth` and tokens of a client: [signing in](../signing-in.md), [machine to machine](../machine-to-machine.md)',
  },
  guard: {
    page: 'guard',
    of: '`guard` of [guarding a server](../guarding.md) and [rate limits](../rate-limits.md); `createPolicy` and `policyFile` of [permissions](../permissions.md)',
  },
  store: {
    page: 'store',
    of: '`createMemoryStore` of `tenon/store`, `openSqliteStore`, `openRedisStore`, `openPostgresStore`; see [stores](../stores.md)',
  },
  audit: { page: 'audit', of: '`auditFolder` of the [audit log](../audit.md)' },
  capture: { page: 'capture', of: '`tenon/capture` and the command line: [captures](../captures.md)' },
  skills: { page: 'skills', of: '[skills](../extensions.md), which have none' },
  'command line': { page: 'command-line', of: '`tenon`: [the command line](../cli.md)' },
  inspector: { page: 'inspector', of: '`serveInspector` and `createInspector` of [the inspector](../inspector.md)' },
  agents: { page: 'agents', of: '`createToolkit` and the adapters of [agents](../agents.md)' },
  official: { page: 'official', of: '`fromOfficial` of `tenon/official`' },
  OpenAPI: { page: 'openapi', of: '`openapiServer` and `loadOpenApi` of [OpenAPI](../openapi.md)' },
  gateway: { page: 'gateway', of: '`createGateway` and `tenon gateway`: [the gateway](../gateway.md)' },
  'dev-auth': { page: 'dev-auth', of: '`startDevAuthServer` of `tenon/dev-auth`' },
};
