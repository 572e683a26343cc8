/** Serves the pages where users connect accounts: sign-in at the issuer of the callers, question, sign-in at the upstream. */
import type { IncomingMessage, ServerResponse } from 'node:http';
import { type ReceivedRequest, receive } from '../../auth-server/engine/received-request.ts';
import { PageError, redirect, sendPage } from '../../auth-server/flow/respond.ts';
import type { ProviderClient } from '../../auth-server/provider-client/provider-client.ts';
import { ProviderError } from '../../auth-server/provider-client/provider-error.ts';
import { TenonError } from '../../lib/errors/tenon-error.ts';
import { pathOf } from '../../node/http-server/request-target.ts';
import { closeIfUnfinished } from '../../node/http-server/unfinished-requests.ts';
import { createPrincipal, type Principal } from '../../ports/principal.ts';
import { createHostCheck } from '../../server/http/admission/host-and-origin.ts';
import type { Accounts, AccountUpstream } from '../credentials/accounts.ts';
import type { ConnectTickets } from '../credentials/connect-tickets.ts';
import type { BrowserSessions, BrowserUser } from './browser-session.ts';
import { failedPage, listPage, questionPage, type ShownUpstream } from './connect-pages.ts';

export interface ConnectPorts {
  readonly accounts: Accounts;
  readonly tickets: ConnectTickets;
  readonly sessions: BrowserSessions;
  /** The client at the issuer of the callers. */
  readonly signIn: ProviderClient;
  /** The page, such as `https://mcp.example.com/connect`. */
  readonly pageUrl: URL;
  readonly allowedHosts: readonly string[];
  readonly onWarning: (warning: TenonError) => void;
}

/**
 * How long an upstream and its authorization server may take before a sign-in.
 * @limit gateway
 * @beyond the page shows that it failed
 */
const beginMs = 30_000;

/** Serves a request if it is for one of the pages. */
export type ServeConnect = (request: IncomingMessage, response: ServerResponse) => boolean;

export function createConnectHandler(ports: ConnectPorts): ServeConnect {
  const pages = new ConnectPages(ports);
  const isHost = createHostCheck({ allowedHosts: ports.allowedHosts });
  const { pathname } = ports.pageUrl;
  return (request, response) => {
    const path = pathOf(request.url ?? '');
    if (path !== pathname && !path.startsWith(`${pathname}/`)) return false;
    response.on('error', () => response.destroy());
    if (!isHost(request.headers.host ?? '')) {
      closeIfUnfinished(response);
      response.writeHead(403, { 'content-type': 'text/plain' }).end('The host is not allowed\n');
    } else void pages.serve(request, response, path);
    return true;
  };
}

class ConnectPages {
  readonly #ports: ConnectPorts;
  readonly #root: string;

  constructor(ports: ConnectPorts) {
    this.#ports = ports;
    this.#root = ports.pageUrl.pathname;
  }

  async serve(raw: IncomingMessage, response: ServerResponse, path: string): Promise<void> {
    try {
      const request = await receive(raw, response, path, raw.socket.remoteAddress ?? '');
      if (request === undefined) {
        closeIfUnfinished(response);
        return sendPage(response, 413, failedPage('The request is too large.', this.#root));
      }
      await this.#answer(request);
    } catch (error) {
      this.#fail(response, error);
    }
  }

  async #answer(request: ReceivedRequest): Promise<void> {
    const { method, path, query } = request;
    // Where the browser comes back to is fixed: a request cannot choose it.
    if (query.has('redirect_uri')) throw new PageError(400, 'The address cannot be chosen.');
    const [kind = '', encoded = '', ...rest] = path.slice(this.#root.length + 1).split('/');
    const isPost = method === 'POST';
    if (rest.length > 0 || (method !== 'GET' && !isPost)) throw new PageError(404, 'There is no such page.');
    if (kind === '' && encoded === '' && !isPost) return this.#list(request);
    if (kind === 'signed-in' && encoded === '' && !isPost) return this.#signedIn(request);
    const upstream = this.#ports.accounts.upstream(decoded(encoded));
    if (upstream === undefined) throw new PageError(404, 'There is no such server.');
    if (kind === 'to') return isPost ? this.#decide(request, upstream) : this.#question(request, upstream);
    if (kind === 'callback' && !isPost) return this.#callback(request, upstream);
    throw new PageError(404, 'There is no such page.');
  }

  async #list(request: ReceivedRequest): Promise<void> {
    const user = this.#userOf(request);
    if (user === undefined) return this.#signIn(request);
    const { accounts } = this.#ports;
    const upstreams = await Promise.all(accounts.upstreams.map((one) => this.#shown(one, user)));
    sendPage(request.response, 200, listPage({ user: user.name, upstreams }));
  }

  async #question(request: ReceivedRequest, upstream: AccountUpstream): Promise<void> {
    const user = this.#userOf(request);
    if (user === undefined) return this.#signIn(request);
    const { accounts, sessions } = this.#ports;
    const tickets = request.query.getAll('ticket');
    const client = this.#clientOf(tickets, upstream, user);
    const { scopes } = upstream.auth;
    const text = questionPage({
      ...(await this.#shown(upstream, user)),
      user: user.name,
      csrf: sessions.csrf(user, upstream.name, client),
      client,
      ticket: tickets[0],
      scopes: (scopes ?? []) as readonly string[],
      redirectUri: accounts.redirectUri(upstream.name),
    });
    sendPage(request.response, 200, text);
  }

  /** The client that has asked for the account, if the page was opened by the link of an error. */
  #clientOf(tickets: readonly string[], { name }: AccountUpstream, user: BrowserUser): string | undefined {
    const [ticket, another] = tickets;
    if (ticket === undefined) return undefined;
    const asked = another === undefined ? this.#ports.tickets.read(ticket) : undefined;
    if (asked?.upstream !== name) throw new PageError(400, 'This link is not valid any more. Use the tool again.');
    if (asked.subject !== user.subject) throw new PageError(403, 'This link is for another user.');
    return asked.client;
  }

  /** The form of that page. Only now the upstream learns of it, and only now there is a state and its cookie. */
  async #decide(request: ReceivedRequest, upstream: AccountUpstream): Promise<void> {
    const { sessions, pageUrl } = this.#ports;
    const { headers, body, response } = request;
    const user = this.#userOf(request);
    const form = new URLSearchParams(body);
    if (user === undefined) throw new PageError(403, 'You are not signed in. Open this page again.');
    if (headers.origin !== pageUrl.origin) throw new PageError(403, 'The answer came from another page.');
    const client = this.#clientOf(form.getAll('ticket'), upstream, user);
    if (!sessions.isForm(user, upstream.name, client, form.get('csrf') ?? ''))
      throw new PageError(403, 'The answer does not belong to this page.');
    const url = await this.#answered(form, upstream, user, client);
    if (url === undefined) return redirect(response, this.#root);
    const state = url.searchParams.get('state') ?? '';
    sessions.beginUpstream(response, { upstream: upstream.name, subject: user.subject, state });
    redirect(response, url.href);
  }

  /** Does what the user has chosen. Returns where they sign in, if they have to. */
  async #answered(
    form: URLSearchParams,
    upstream: AccountUpstream,
    user: BrowserUser,
    client: string | undefined,
  ): Promise<URL | undefined> {
    const { accounts } = this.#ports;
    const principal = this.#principalOf(user, client);
    const withdrawn = form.get('withdraw');
    if (withdrawn !== null) await accounts.withdraw(upstream, this.#principalOf(user, withdrawn));
    const answer = form.get('answer');
    if (answer === 'disconnect') await accounts.disconnect(upstream, principal);
    if (answer !== 'connect') return undefined;
    if (client !== undefined) await accounts.allow(upstream, principal);
    if (await accounts.isConnected(upstream, principal)) return undefined;
    return accounts.begin(upstream, principal, AbortSignal.timeout(beginMs));
  }

  /** The upstream sends the browser back: it counts once, for the user and in the browser that began it. */
  async #callback(request: ReceivedRequest, upstream: AccountUpstream): Promise<void> {
    const { accounts, sessions } = this.#ports;
    const { query, headers, response } = request;
    const states = query.getAll('state');
    const [state = ''] = states;
    const flow = states.length === 1 ? sessions.takeUpstream(response, headers.cookie, state) : undefined;
    if (flow?.upstream !== upstream.name)
      throw new PageError(400, 'This sign-in is over, or it was begun in another browser. Connect again.');
    const user = this.#userOf(request);
    if (user?.subject !== flow.subject) throw new PageError(403, 'Another user began this sign-in. Connect again.');
    const callback = new URL(accounts.redirectUri(upstream.name));
    callback.search = query.toString();
    await accounts.finish(upstream, this.#principalOf(user), callback);
    redirect(response, this.#root);
  }

  async #signIn({ path, query, response }: ReceivedRequest): Promise<void> {
    const { url, pending } = await this.#ports.signIn.begin();
    const [ticket, another] = query.getAll('ticket');
    const isValid = ticket !== undefined && another === undefined && this.#ports.tickets.read(ticket) !== undefined;
    const next = isValid ? `${path}?ticket=${ticket}` : path;
    this.#ports.sessions.beginIssuer(response, { pending, next });
    redirect(response, url.href);
  }

  async #signedIn({ query, headers, response }: ReceivedRequest): Promise<void> {
    const { signIn, sessions, pageUrl } = this.#ports;
    const states = query.getAll('state');
    const [state = ''] = states;
    const flow = states.length === 1 ? sessions.takeIssuer(response, headers.cookie, state) : undefined;
    if (flow === undefined)
      throw new PageError(400, 'This sign-in is over, or it was begun in another browser. Open the page again.');
    const callback = new URL(`${pageUrl.href}/signed-in?${query}`);
    const { user } = await signIn.complete(callback, flow.pending);
    sessions.start(response, { subject: user.subject, name: user.name ?? user.subject });
    redirect(response, flow.next);
  }

  async #shown(upstream: AccountUpstream, user: BrowserUser): Promise<ShownUpstream> {
    const { name, url } = upstream;
    const { accounts } = this.#ports;
    const principal = this.#principalOf(user);
    const isConnected = await accounts.isConnected(upstream, principal);
    const clients = await accounts.clients(upstream, principal);
    const href = `${this.#root}/to/${encodeURIComponent(name)}`;
    return { name, host: new URL(url).host, isConnected, clients, href };
  }

  #userOf({ headers }: ReceivedRequest): BrowserUser | undefined {
    return this.#ports.sessions.user(headers.cookie);
  }

  /** The same as that of the calls with an access token of the user. */
  #principalOf({ subject }: BrowserUser, client = ''): Principal {
    const { issuer } = this.#ports.accounts;
    return createPrincipal({ issuer, subject, ...(client !== '' && { client }) });
  }

  #fail(response: ServerResponse, error: unknown): void {
    const { status, text } = failureOf(error);
    if (!(error instanceof PageError) || status === 403) {
      const why = error instanceof Error ? error.message : String(error);
      this.#ports.onWarning(new TenonError('authorization-failed', `The connect page: ${why}`, { cause: error }));
    }
    if (response.headersSent) return void response.destroy();
    sendPage(response, status, failedPage(text, this.#root));
  }
}

/** What the user reads: no address or error of another server. */
function failureOf(error: unknown): { readonly status: number; readonly text: string } {
  if (error instanceof PageError) return { status: error.status, text: error.message };
  if (error instanceof ProviderError) return { status: error.code === 'unreachable' ? 503 : 400, text: error.message };
  if (error instanceof TenonError && error.code === 'authorization-failed')
    return { status: 400, text: 'The sign-in was not completed. You can connect again.' };
  return { status: 502, text: 'The server could not be connected. Try again later.' };
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return '';
  }
}
