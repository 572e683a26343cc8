/** The projects that `tenon init` can write: each is `templates/base`, the folder of its name over it, and what is here. */

interface Template {
  /** How clients reach it: they start it, or connect to a URL. */
  readonly reachedBy: 'command' | 'url';
  /** Words after `tenon call NAME`. */
  readonly call: string;
  /** Members that package.json has besides those of the base. */
  readonly manifest?: Readonly<Record<string, Readonly<Record<string, string>>>>;
  /** A line that the README has besides. */
  readonly note?: string;
}

const call = 'forecast city=Oslo';

export const templates: Readonly<Record<string, Template>> = {
  stdio: { reachedBy: 'command', call },
  http: { reachedBy: 'url', call },
  'http-auth': {
    reachedBy: 'url',
    call,
    manifest: {
      scripts: {
        dev: 'node --import tsx --watch src/main.ts',
        auth: 'tenon dev-auth --port 9000 --resource http://127.0.0.1:3000/mcp',
      },
      devDependencies: { 'oidc-provider': '^9.13.3' },
    },
    note: 'Clients need an access token. `npm run auth` starts an authorization server for development; start the server with `ISSUER=http://127.0.0.1:9000`, and sign in with `npx tenon login my-server`.',
  },
  tasks: {
    reachedBy: 'url',
    call: 'report year=2026',
    manifest: { dependencies: { libsql: '^0.5.29' } },
    note: 'With the variable `SECRET` (`openssl rand -base64 32`), tasks are stored in `tenon.db`, or where `STORE` says, such as `redis://127.0.0.1`, and go on after a restart.',
  },
  express: {
    reachedBy: 'url',
    call,
    manifest: { dependencies: { express: '^5.3.0' }, devDependencies: { '@types/express': '^5.0.6' } },
  },
  hono: {
    reachedBy: 'url',
    call,
    manifest: { dependencies: { '@hono/node-server': '^2.1.6', hono: '^4.13.17' } },
  },
};
