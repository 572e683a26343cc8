/** An HTTP port that adds credentials to requests, and sends a refused request again when there are new ones. */
import { messageWithoutHint, TenonError, type TenonErrorCode } from '../../../lib/errors/tenon-error.ts';
import { isRecord } from '../../../lib/values/is.ts';
import { type Collected, collect, maxRefusalBytes } from './body.ts';
import type { AuthHeaders, AuthRefusal, ServerAuth } from './client-auth.ts';
import {
  type HttpHeaders,
  type HttpPort,
  type HttpReceiver,
  type HttpRequest,
  type HttpSent,
  headerOf,
} from './port.ts';
import type { ReportedRefusal } from './reported-refusal.ts';

export const authorizedPort = (port: HttpPort, auth: ServerAuth): HttpPort => ({
  request: (sent, receiver) => new AuthorizedRequest(port, auth, sent, receiver).start(),
  close: () => port.close(),
});

type State =
  /** The credentials are being fetched, or a refusal is being answered. */
  | { readonly at: 'authorizing'; readonly control: AbortController }
  | { readonly at: 'sent'; readonly request: HttpRequest }
  | ({ readonly at: 'refused'; readonly request: HttpRequest; readonly refusal: Refused } & Collected)
  | { readonly at: 'finished' };

interface Refused {
  readonly status: number;
  readonly headers: HttpHeaders;
  /** The credentials that were refused. */
  readonly sent: AuthHeaders | undefined;
}

const finished: State = { at: 'finished' };

class AuthorizedRequest implements HttpReceiver, HttpRequest {
  readonly #port: HttpPort;
  readonly #auth: ServerAuth;
  readonly #sent: HttpSent;
  readonly #receiver: HttpReceiver;
  #state: State = finished;
  /** The credentials that were sent last. */
  #credentials: AuthHeaders | undefined;
  /** Created at the first refusal. */
  #done: string[] | undefined;

  constructor(port: HttpPort, auth: ServerAuth, sent: HttpSent, receiver: HttpReceiver) {
    this.#port = port;
    this.#auth = auth;
    this.#sent = sent;
    this.#receiver = receiver;
  }

  start(): this {
    const { method, address } = this.#sent;
    const headers = this.#auth.headers({ method, url: address.href });
    if (headers === undefined || !isPromise(headers)) this.#send(headers);
    else this.#authorize((signal) => headers.then((own) => signal.aborted || this.#send(own)));
    return this;
  }

  #send(headers: AuthHeaders | undefined): void {
    const sent = headers === undefined ? this.#sent : { ...this.#sent, headers: { ...this.#sent.headers, ...headers } };
    this.#credentials = headers;
    this.#state = { at: 'sent', request: this.#port.request(sent, this) };
  }

  /** The timeout of the request does not run meanwhile: a person may have to decide. */
  #authorize(run: (signal: AbortSignal) => Promise<unknown>): void {
    const control = new AbortController();
    const state: State = { at: 'authorizing', control };
    this.#state = state;
    this.#receiver.delayed?.(true);
    const resume = (): boolean => {
      if (control.signal.aborted) return false;
      this.#receiver.delayed?.(false);
      return true;
    };
    run(control.signal).then(resume, (error) => {
      if (!resume()) return;
      this.#state = finished;
      this.#receiver.broke(authFailure(error));
    });
  }

  head(status: number, headers: HttpHeaders): void {
    if (this.#state.at !== 'sent') return;
    const { request } = this.#state;
    this.#auth.received?.((name) => headerOf(headers, name));
    // A session that ends needs no new credentials.
    if (this.#sent.method === 'DELETE' || !isRefusal(status, headers)) return this.#receiver.head(status, headers);
    this.#state = {
      at: 'refused',
      request,
      refusal: { status, headers, sent: this.#credentials },
      chunk: undefined,
      more: undefined,
      size: 0,
    };
  }

  chunk(bytes: Uint8Array): void {
    if (this.#state.at === 'sent') return this.#receiver.chunk(bytes);
    if (this.#state.at !== 'refused') return;
    collect(this.#state, bytes);
    if (this.#state.size <= maxRefusalBytes) return;
    const { request } = this.#state;
    this.#answerRefusal(this.#state);
    request.abort();
  }

  end(): void {
    if (this.#state.at === 'refused') return this.#answerRefusal(this.#state);
    if (this.#state.at !== 'sent') return;
    this.#state = finished;
    this.#receiver.end();
  }

  broke(error: unknown): void {
    if (this.#state.at !== 'sent' && this.#state.at !== 'refused') return;
    this.#state = finished;
    this.#receiver.broke(error);
  }

  refused({ status, scope }: ReportedRefusal, otherwise: () => void): void {
    const state = this.#state;
    if (state.at === 'sent') state.request.abort();
    const sent = this.#credentials;
    const scheme = /^DPoP /i.test(sent?.authorization ?? '') ? 'DPoP' : 'Bearer';
    const error = status === 403 ? 'insufficient_scope' : 'invalid_token';
    const headers = { 'www-authenticate': `${scheme} error="${error}", scope="${scope}"` };
    this.#answer({ status, headers, sent }, () => {
      this.#state = finished;
      otherwise();
    });
  }

  #answerRefusal(state: State & { readonly at: 'refused' }): void {
    this.#answer(state.refusal, () => this.#deliver(state));
  }

  #answer(refusal: Refused, otherwise: () => void): void {
    const { method, address, headers } = this.#sent;
    this.#done ??= [];
    const authRefusal: AuthRefusal = {
      method,
      url: address.href,
      status: refusal.status,
      challenges: challengesIn(refusal.headers),
      header: (name) => headerOf(refusal.headers, name),
      operation: operationOf(method, headers, this.#sent.body),
      sent: refusal.sent,
      done: this.#done,
    };
    this.#authorize(async (signal) => {
      const isRetried = await this.#auth.refused(authRefusal, signal);
      if (signal.aborted) return;
      if (!isRetried) return otherwise();
      const own = await this.#auth.headers({ method, url: address.href });
      if (!signal.aborted) this.#send(own);
    });
  }

  /** The refusal is the answer. */
  #deliver({ refusal, chunk, more = [] }: State & { readonly at: 'refused' }): void {
    this.#state = finished;
    const receiver = this.#receiver;
    receiver.head(refusal.status, refusal.headers);
    if (chunk !== undefined) for (const bytes of [chunk, ...more]) receiver.chunk(bytes);
    receiver.end();
  }

  abort(): void {
    const state = this.#state;
    this.#state = finished;
    if (state.at === 'sent' || state.at === 'refused') state.request.abort();
    if (state.at !== 'authorizing') return;
    state.control.abort();
    this.#receiver.delayed?.(false);
  }
}

/** The causes that name what to change. Others, such as a store that is too slow, would count as errors of the server. */
const ownCodes: ReadonlySet<TenonErrorCode> = new Set([
  'authorization-failed',
  'sign-in-required',
  'forbidden',
  'callback-failed',
]);

const authFailure = (cause: unknown): TenonError => {
  if (cause instanceof TenonError && ownCodes.has(cause.code)) return cause;
  const said = cause instanceof TenonError ? `: ${messageWithoutHint(cause)}` : '.';
  const hint = (cause instanceof TenonError ? cause.hint : undefined) ?? 'Its error is the cause.';
  return new TenonError('authorization-failed', `The option auth failed${said}`, { hint, cause });
};

const isPromise = <T>(value: T | Promise<T>): value is Promise<T> =>
  typeof (value as { then?: unknown }).then === 'function';

/** Whether other credentials may help. A 403 may have other reasons. */
const isRefusal = (status: number, headers: HttpHeaders): boolean =>
  status === 401 || (status === 403 && challengesIn(headers).some((one) => /insufficient_scope/i.test(one)));

const challengesIn = (headers: HttpHeaders): readonly string[] => {
  const found = headers['www-authenticate'];
  return found === undefined ? [] : typeof found === 'string' ? [found] : found;
};

/** Read from the body only for a refusal. */
function operationOf(method: string, headers: HttpSent['headers'], body: string | undefined): string {
  const routed = headers['mcp-method'];
  if (routed !== undefined) return [routed, headers['mcp-name']].filter((part) => part !== undefined).join(' ');
  const message: unknown = body === undefined ? undefined : JSON.parse(body);
  if (!isRecord(message) || typeof message.method !== 'string') return method;
  const { name, uri } = isRecord(message.params) ? message.params : {};
  const target = name ?? uri;
  return typeof target === 'string' ? `${message.method} ${target}` : message.method;
}
