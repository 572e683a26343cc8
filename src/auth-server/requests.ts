/** Serves all requests: limits by address, then the engine for clients, and the pages for users. */
import type { IncomingMessage, ServerResponse } from 'node:http';
import { errorPage } from '../auth-pages/index.ts';
import { closeIfUnfinished } from '../node/http-server/unfinished-requests.ts';
import type { ClientDocuments } from './clients/documents.ts';
import type { Engine } from './engine/engine.ts';
import { isEndOfSignIn, isSignInPage, paths } from './engine/paths.ts';
import { type ReceivedRequest, receive } from './engine/received-request.ts';
import { rewrittenAuthorization, rewrittenTokenRequest } from './engine/rewritten-request.ts';
import { sendPage } from './flow/respond.ts';
import { createPages } from './flow/routes.ts';
import type { AddressLimits, LimitedRequest } from './limits.ts';
import type { Parts } from './parts.ts';

export type ServeRequest = (
  path: string,
  request: IncomingMessage,
  response: ServerResponse,
  address: string,
) => Promise<void>;

export interface RequestPorts {
  readonly engine: () => Engine;
  readonly limits: AddressLimits;
  readonly documents: ClientDocuments;
}

export function createRequests(parts: Parts, { engine, limits, documents }: RequestPorts): ServeRequest {
  const { resources, report, settings } = parts;
  const pages = createPages(parts, engine);

  /** Whether an address may begin something: otherwise the request is answered. */
  async function isWithin(kind: LimitedRequest, { address, response }: ReceivedRequest): Promise<boolean> {
    const retryAfterMs = await limits.count(kind, address);
    if (retryAfterMs === undefined) return true;
    report({ type: 'limited', reason: kind });
    tooMany(response, retryAfterMs, kind === 'sign-in' || kind === 'answer' ? settings : undefined);
    return false;
  }

  /** A request with the credentials of a client: a wrong guess costs the address, as does a client that cannot be found. */
  async function serveClient(request: ReceivedRequest): Promise<void> {
    const { address, response, method, path } = request;
    const blockedMs = limits.blockedFor(address);
    if (blockedMs !== undefined && method === 'POST') return tooMany(response, blockedMs);
    await engine().handle(path === paths.token ? rewrittenTokenRequest(request, resources) : request);
    if (method === 'POST' && (response.statusCode === 400 || response.statusCode === 401))
      await limits.countFailed(address);
  }

  async function serve(request: ReceivedRequest): Promise<void> {
    const { path, method } = request;
    if (path === paths.authorization) {
      if (await isWithin('sign-in', request)) await engine().handle(rewrittenAuthorization(request, resources));
      return;
    }
    // What is stored of the sign-in counts. With parameters, the engine would send an error to the client that they name.
    if (isEndOfSignIn(path)) return engine().handle({ ...request, query: new URLSearchParams(), body: '' });
    if (path === paths.token || path === paths.revocation) return serveClient(request);
    if (path === paths.registration && method === 'POST' && !(await isWithin('registration', request))) return;
    // It sends the browser to the provider.
    if (path === paths.account && method === 'GET' && !(await isWithin('sign-in', request))) return;
    // Each answer sends the browser to the provider, and what is stored meanwhile is new.
    if (isSignInPage(path) && method === 'POST' && !(await isWithin('answer', request))) return;
    return isPage(path) ? pages(request) : engine().handle(request);
  }

  return async (path, raw, response, address) => {
    const request = await receive(raw, response, path, address);
    if (request === undefined) return tooLarge(response);
    await documents.askedBy(address, () => serve(request));
  };
}

const isPage = (path: string): boolean => path === paths.callback || path === paths.account || isSignInPage(path);

/** A user gets a page, with the texts of the server. */
function tooMany(response: ServerResponse, retryAfterMs: number, forUser?: Pick<Parts['settings'], 'texts'>): void {
  response.setHeader('retry-after', String(Math.ceil(retryAfterMs / 1000)));
  const text = 'Too many requests came from your address. Try again in a minute.';
  if (forUser !== undefined) return sendPage(response, 429, errorPage({ text, texts: forUser.texts }));
  sendJson(response, 429, { error: 'temporarily_unavailable', error_description: text });
}

function tooLarge(response: ServerResponse): void {
  closeIfUnfinished(response);
  sendJson(response, 413, { error: 'invalid_request', error_description: 'the request is too large' });
}

function sendJson(response: ServerResponse, status: number, body: unknown): void {
  response.writeHead(status, { 'content-type': 'application/json', 'cache-control': 'no-store' });
  response.end(JSON.stringify(body));
}
