/** The projects that `tenon init` can write: each is `templates/base`, the folder of its name over it, and what is here. */

interface Template {
  /** How clients reach it: they start it, or connect to a URL. An agent has no clients. */
  readonly reachedBy?: 'command' | 'url';
  /** Commands that start it for the first call. */
  readonly starts: readonly string[];
  /** Words after `tenon call NAME`. */
  readonly call?: string;
  /** Members that package.json has besides those of the base. A list replaces that of the base. */
  readonly manifest?: Readonly<Record<string, Readonly<Record<string, string>> | readonly string[]>>;
  /** A line that the README has besides. */
  readonly note?: string;
  /** Files of the base that it does not have. */
  readonly without?: readonly string[];
  /** What its commands write, for .gitignore. */
  readonly ignored?: readonly string[];
}

const call = 'forecast city=Oslo';
const dev = 'npm run dev   # in a terminal of its own';
const http = { reachedBy: 'url', starts: [dev], call } as const;
/** It is served by a platform: its folder has a package.json of its own, and no program. */
const platform = { ...http, without: ['tsconfig.build.json', 'test/server.test.ts'] } as const;

export const templates: Readonly<Record<string, Template>> = {
  stdio: { reachedBy: 'command', starts: [], call },
  http,
  'http-auth': {
    ...http,
    starts: ['npm run auth   # in a terminal of its own', dev, 'npx tenon login my-server'],
    manifest: {
      scripts: {
        dev: 'node --import tsx --watch --env-file=development.env src/main.ts',
        auth: 'tenon dev-auth --port 9000 --resource http://127.0.0.1:3000/mcp',
      },
      devDependencies: { 'oidc-provider': '^9.13.3' },
    },
    note: 'Clients need an access token. `npm run auth` starts an authorization server for development, which `development.env` names; then `npx tenon login my-server` signs in. Elsewhere, set `ISSUER` to yours and `RESOURCE` to the URL of this server.',
  },
  tasks: {
    ...http,
    call: 'report year=2026',
    manifest: { dependencies: { libsql: '^0.5.29' } },
    note: 'With the variable `SECRET` (`openssl rand -base64 32`), tasks are stored in `tenon.db`, or where `STORE` says, such as `redis://127.0.0.1`, and go on after a restart.',
  },
  express: {
    ...http,
    manifest: { dependencies: { express: '^5.3.0' }, devDependencies: { '@types/express': '^5.0.6' } },
  },
  hono: {
    ...http,
    manifest: { dependencies: { '@hono/node-server': '^2.1.6', hono: '^4.13.17' } },
  },
  'from-official': {
    ...http,
    manifest: { files: ['dist', 'policy.yaml'], dependencies: { '@modelcontextprotocol/sdk': '^1.32.2' } },
  },
  app: {
    ...http,
    manifest: {
      scripts: {
        build: `tsc -p tsconfig.build.json && node -e "import('./dist/bundle-page.js').then((page) => page.writePage())"`,
      },
      devDependencies: {
        '@modelcontextprotocol/client': '^2.4.0',
        '@modelcontextprotocol/core': '^2.4.0',
        '@modelcontextprotocol/ext-apps': '^2.0.4',
        esbuild: '^0.28.2',
      },
    },
  },
  agent: {
    starts: ['npm run dev -- "What is the weather in Oslo?"'],
    manifest: {
      scripts: { dev: 'node --import tsx src/main.ts', test: 'node --import tsx --test test/agent.test.ts' },
    },
    without: ['src/server.ts', 'test/server.test.ts'],
  },
  workers: { ...platform, ignored: ['.wrangler/', '.dev.vars'] },
  lambda: { ...platform, ignored: ['.aws-sam/', 'samconfig.toml'] },
  next: { ...platform, ignored: ['.next/', 'next-env.d.ts', '*.tsbuildinfo'] },
};
