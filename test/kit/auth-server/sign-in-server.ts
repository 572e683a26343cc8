/** A protected server whose users sign in at a provider: the development authorization server plays the provider. */
import { createHash, randomBytes } from 'node:crypto';
import { createServer as createHttpServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { createServer, type Server, toNodeHandler, tool } from 'tenon';
import { type ProtectOptions, protect } from 'tenon/auth';
import {
  type AuthorizationServer,
  type AuthorizationServerEvent,
  type AuthorizationServerOptions,
  authorizationServer,
  type SignInProvider,
} from 'tenon/auth-server';
import { type DevAuthOptions, type DevAuthServer, startDevAuthServer, type VisitOptions } from 'tenon/dev-auth';
import type { Store } from 'tenon/store';
import { onTestFinished } from 'vitest';
import { loneCall } from '../http/messages.ts';
import { type Answer, send } from '../http/raw-http.ts';
import { Browser, hiddenFields, type Page } from './browser.ts';

export const secret = 'planted-secret-of-the-authorization-server';
export const providerSecret = 'planted-secret-of-the-provider-client';
export const redirectUri = 'http://127.0.0.1:8123/callback';

const verifier = randomBytes(32).toString('base64url');
const challenge = createHash('sha256').update(verifier).digest('base64url');

export type Json = Record<string, unknown>;
type Parameters = Record<string, string | undefined>;

export interface TokenAnswer {
  readonly status: number;
  readonly headers: Headers;
  readonly body: Json & { readonly access_token: string; readonly refresh_token: string; readonly error: string };
}

/** One process of the server. */
export interface Node {
  readonly base: string;
  readonly auth: AuthorizationServer;
  close(): Promise<void>;
}

export interface StartOptions {
  readonly options?: Partial<AuthorizationServerOptions>;
  readonly provider?: DevAuthOptions;
  /** Settings of the provider that differ. */
  readonly signIn?: Partial<SignInProvider> | ((base: SignInProvider) => SignInProvider);
  /** Where clients believe the server to be, such as behind a proxy with TLS. Default: where it listens. */
  readonly origin?: string;
  readonly protection?: Partial<ProtectOptions>;
  /** The store of the endpoint. */
  readonly store?: Store;
  /** Other nodes that share the store; each has a store of its own object where a function is given. */
  readonly nodes?: number;
  readonly storeOf?: (node: number) => Promise<Store>;
  /** The server to protect, with a tool `whoami`. Default: one of ours. */
  readonly server?: Server;
}

export interface SignInServer {
  readonly issuer: string;
  readonly resource: string;
  readonly provider: DevAuthServer;
  readonly events: AuthorizationServerEvent[];
  readonly nodes: readonly Node[];
  readonly auth: AuthorizationServer;
  /** The URL of an authorization request. `undefined` leaves a parameter out. */
  authorization(client: string, parameters?: Parameters): URL;
  register(metadata?: Json): Promise<string>;
  /** One that finds the server. */
  browser(): Browser;
  /** The page that asks for consent. */
  consent(browser: Browser, client: string, parameters?: Parameters): Promise<Page>;
  /** Sends the form of the page: the redirect to the provider. */
  answer(browser: Browser, page: Page, answer?: 'allow' | 'deny'): Promise<Page>;
  /** A whole sign-in, up to the redirect to the client. */
  signIn(client: string, how?: SignInOptions): Promise<URL>;
  token(parameters: Parameters, headers?: Record<string, string>, node?: number): Promise<TokenAnswer>;
  redeem(client: string, back: URL, parameters?: Parameters, node?: number): Promise<TokenAnswer>;
  refresh(client: string, token: string, parameters?: Parameters, node?: number): Promise<TokenAnswer>;
  /** Calls a tool with a token. */
  call(token: string, name?: string, node?: number): Promise<Answer>;
}

export interface SignInOptions extends VisitOptions {
  readonly browser?: Browser;
  readonly parameters?: Parameters;
}

/** Everything is closed at the end of the test. */
export async function startSignInServer(given: StartOptions = {}): Promise<SignInServer> {
  const { options = {}, provider: providerOptions = {}, nodes: count = 1 } = given;
  const events: AuthorizationServerEvent[] = [];
  const listeners = await Promise.all(Array.from({ length: count }, listen));
  const base = listeners[0]?.base ?? '';
  const issuer = given.origin ?? base;
  const resource = `${issuer}/mcp`;
  const provider = await startDevAuthServer({
    onAnnounce: () => {},
    users: { ada: { name: 'Ada', groups: ['admins'] }, grace: { name: 'Grace' } },
    clients: [{ client_id: 'tenon', client_secret: providerSecret, redirect_uris: [`${issuer}/callback`] }],
    ...providerOptions,
  });
  onTestFinished(() => provider.close());
  const nodes: Node[] = [];
  for (const [at, listener] of listeners.entries()) {
    const base = { name: 'dev', issuer: provider.issuer, clientId: 'tenon', clientSecret: providerSecret };
    const auth = authorizationServer({
      signIn: typeof given.signIn === 'function' ? given.signIn(base) : { ...base, ...given.signIn },
      secrets: [secret],
      ...options,
      onEvent: (event) => {
        events.push(event);
        options.onEvent?.(event);
      },
    });
    const store = (await given.storeOf?.(at)) ?? given.store;
    nodes.push(serve(listener, auth, { resource, protection: given.protection, store }, given.server));
  }
  onTestFinished(async () => void (await Promise.all(nodes.map((node) => node.close()))));
  const baseOf = (node = 0): string => nodes[node]?.base ?? '';
  return {
    issuer,
    resource,
    provider,
    events,
    nodes,
    auth: (nodes[0] as Node).auth,
    ...clientOf(issuer, baseOf),
    ...userOf(issuer, provider, () => browserAt(given.origin === undefined ? undefined : base)),
    call: (token, name = 'whoami', node = 0) => {
      const message = loneCall(name);
      const headers = { ...message.headers, authorization: `Bearer ${token}` };
      return send(`${baseOf(node)}/mcp`, { ...message, headers });
    },
  };
}

function browserAt(base: string | undefined): Browser {
  const browser = new Browser();
  browser.base = base;
  return browser;
}

interface Listener {
  readonly base: string;
  handle: (request: IncomingMessage, response: ServerResponse) => unknown;
  close(): void;
}

async function listen(): Promise<Listener> {
  const http = createHttpServer((request, response) => void listener.handle(request, response));
  await new Promise<void>((resolve) => http.listen(0, '127.0.0.1', resolve));
  const listener: Listener = {
    base: `http://127.0.0.1:${(http.address() as AddressInfo).port}`,
    handle: (_request, response) => response.writeHead(503).end(),
    close() {
      http.close();
      http.closeAllConnections();
    },
  };
  return listener;
}

function serve(
  listener: Listener,
  auth: AuthorizationServer,
  {
    resource,
    protection,
    store,
  }: { resource: string; protection: StartOptions['protection']; store: Store | undefined },
  server: Server = whoami() as Server,
): Node {
  const authenticate = protect({
    issuer: auth,
    resource,
    scopesSupported: ['files:read', 'files:write'],
    ...protection,
  });
  const handler = toNodeHandler(server, { authenticate, ...(store !== undefined && { store }) });
  listener.handle = handler;
  let closing: Promise<void> | undefined;
  const close = async (): Promise<void> => {
    await handler.close(0);
    listener.close();
    await auth.close();
  };
  return { base: listener.base, auth, close: () => (closing ??= close()) };
}

const whoami = () =>
  createServer({
    name: 'protected',
    version: '1',
    tools: {
      whoami: tool({}, (_given, { caller }) => {
        const { subject, roles, scopes } = caller.principal ?? {};
        return JSON.stringify({ subject, roles, scopes });
      }),
    },
  });

const defined = (parameters: Parameters): Record<string, string> =>
  Object.fromEntries(Object.entries(parameters).filter((entry): entry is [string, string] => entry[1] !== undefined));

/** What exchanges the code of a redirect. */
export const codeRequest = (back: URL): Record<string, string> => ({
  grant_type: 'authorization_code',
  code: back.searchParams.get('code') ?? '',
  redirect_uri: redirectUri,
  code_verifier: verifier,
});

/** The requests of a client. */
function clientOf(issuer: string, baseOf: (node?: number) => string) {
  const token: SignInServer['token'] = async (parameters, headers = {}, node = 0) => {
    const body = new URLSearchParams(defined(parameters));
    const response = await fetch(`${baseOf(node)}/token`, { method: 'POST', headers, body });
    const text = await response.text();
    return {
      status: response.status,
      headers: response.headers,
      body: text === '' ? {} : JSON.parse(text),
    } as TokenAnswer;
  };
  return {
    token,
    authorization(client: string, parameters: Parameters = {}): URL {
      const url = new URL(`${issuer}/authorize`);
      const request = {
        response_type: 'code',
        client_id: client,
        redirect_uri: redirectUri,
        state: 'state-of-the-client',
        code_challenge: challenge,
        code_challenge_method: 'S256',
        resource: `${issuer}/mcp`,
        ...parameters,
      };
      url.search = new URLSearchParams(defined(request)).toString();
      return url;
    },
    async register(metadata: Json = {}): Promise<string> {
      const response = await fetch(`${baseOf()}/register`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({
          client_name: 'Editor',
          redirect_uris: [redirectUri],
          token_endpoint_auth_method: 'none',
          ...metadata,
        }),
      });
      const body = (await response.json()) as { client_id?: string };
      if (body.client_id === undefined) throw new Error(JSON.stringify(body));
      return body.client_id;
    },
    redeem: (client: string, back: URL, parameters: Parameters = {}, node = 0) =>
      token({ ...codeRequest(back), client_id: client, ...parameters }, {}, node),
    refresh: (client: string, refreshToken: string, parameters: Parameters = {}, node = 0) =>
      token({ grant_type: 'refresh_token', refresh_token: refreshToken, client_id: client, ...parameters }, {}, node),
  };
}

/** What a user does. */
export function userOf(issuer: string, provider: DevAuthServer, newBrowser = () => new Browser()) {
  const consent: SignInServer['consent'] = (browser, client, parameters) =>
    browser.follow(clientOf(issuer, () => issuer).authorization(client, parameters));
  const answer: SignInServer['answer'] = (browser, page, given = 'allow') =>
    browser.post(page.url, { ...hiddenFields(page.html), answer: given });
  return {
    browser: newBrowser,
    consent,
    answer,
    /** Signs in at the provider: the URL that it redirects back to. */
    atProvider: (url: URL, visitor: VisitOptions) => provider.signIn(url, visitor),
    async signIn(client: string, { browser = newBrowser(), parameters, ...visitor }: SignInOptions = {}): Promise<URL> {
      const page = await consent(browser, client, parameters);
      if (page.status !== 200) throw new Error(`${page.status} at ${page.url.pathname}: ${page.html}`);
      const { location } = await answer(browser, page);
      if (location === undefined) throw new Error('no redirect to the provider');
      const back = await browser.follow(await provider.signIn(location, visitor));
      if (back.location === undefined) throw new Error(`${back.status} at ${back.url.pathname}: ${back.html}`);
      return back.location;
    },
  };
}
