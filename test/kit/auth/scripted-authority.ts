/** An authorization server whose documents and answers the test writes. It records its requests and closes at the end of the test. */
import { createServer, type RequestListener } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import type { SignIn } from 'tenon/auth';
import { onTestFinished } from 'vitest';

type Json = Record<string, unknown>;

/** One request to the authorization server. */
export interface AuthorityRequest {
  readonly method: string;
  readonly path: string;
  readonly headers: Readonly<Record<string, unknown>>;
  /** The parameters of a form, or the fields of a JSON body. */
  readonly body: Json;
}

export interface AuthorityAnswer {
  readonly status?: number;
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
}

export interface ScriptedAuthority {
  readonly issuer: string;
  /** The metadata; a test may change it. */
  metadata: Json;
  readonly requests: AuthorityRequest[];
  /** The authorization requests. */
  readonly pages: URL[];
  /** Answers by path, in place of the default ones. */
  readonly routes: Record<string, (request: AuthorityRequest) => AuthorityAnswer>;
  /** A person who allows everything; `response` changes the parameters that come back. */
  readonly signIn: SignIn;
  response: (parameters: URLSearchParams) => void;
  requested(path: string): AuthorityRequest[];
}

export const callback = 'http://127.0.0.1:5999/callback';

export interface AuthorityOptions {
  /** The path of the issuer. */
  readonly path?: string;
  /** Serves https, with a certificate for localhost. */
  readonly tls?: { readonly key: string; readonly cert: string };
}

export async function startScriptedAuthority({ path = '', tls }: AuthorityOptions = {}): Promise<ScriptedAuthority> {
  const requests: AuthorityRequest[] = [];
  const pages: URL[] = [];
  let count = 0;
  const listener: RequestListener = async (request, response) => {
    let text = '';
    for await (const chunk of request) text += String(chunk);
    const isJson = request.headers['content-type']?.includes('json');
    const body = isJson ? (JSON.parse(text) as Json) : Object.fromEntries(new URLSearchParams(text));
    const { method = '', url: where = '', headers } = request;
    const received = { method, path: where, headers, body };
    requests.push(received);
    const route = started.routes[where] ?? defaults[where];
    const { status = 200, body: answer = '', headers: more = {} } = route?.(received) ?? { status: 404 };
    response.writeHead(status, { 'content-type': 'application/json', ...more });
    response.end(typeof answer === 'string' ? answer : JSON.stringify(answer));
  };
  const server = tls === undefined ? createServer(listener) : createTlsServer(tls, listener);
  await new Promise<void>((resolve) => server.listen(0, tls === undefined ? '127.0.0.1' : 'localhost', resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  const { port } = server.address() as AddressInfo;
  const origin = tls === undefined ? `http://127.0.0.1:${port}` : `https://localhost:${port}`;
  const issuer = `${origin}${path}`;
  const defaults: ScriptedAuthority['routes'] = {
    [`/.well-known/oauth-authorization-server${path}`]: () => ({ body: started.metadata }),
    '/register': () => ({ status: 201, body: { client_id: 'registered' } }),
    '/token': () => ({ body: { access_token: `token-${++count}`, token_type: 'Bearer', expires_in: 3600 } }),
  };
  const started: ScriptedAuthority = {
    issuer,
    metadata: {
      issuer,
      authorization_endpoint: `${origin}/authorize`,
      token_endpoint: `${origin}/token`,
      registration_endpoint: `${origin}/register`,
      code_challenge_methods_supported: ['S256'],
    },
    requests,
    pages,
    routes: {},
    response: () => {},
    requested: (wanted) => requests.filter((one) => one.path === wanted),
    signIn: {
      prepare: async () => ({
        redirectUri: callback,
        async authorize(page) {
          pages.push(page);
          const back = new URL(callback);
          back.searchParams.set('code', 'the-code');
          back.searchParams.set('state', page.searchParams.get('state') ?? '');
          started.response(back.searchParams);
          return back;
        },
        async close() {},
      }),
    },
  };
  return started;
}
