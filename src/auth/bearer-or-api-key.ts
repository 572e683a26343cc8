/** Credentials that a program has already: a bearer token or an API key, as text or from a function. */
import type { AuthHeaders, ClientAuth, ServerAuth } from '../client/http/port/client-auth.ts';
import { TenonError } from '../lib/errors/tenon-error.ts';
import { wrong } from '../lib/options/option-rules.ts';
import { readOptions } from '../lib/options/read-options.ts';
import { type Deadlines, processDeadlines } from '../lib/time/deadlines.ts';
import { deadlinesIn } from '../lib/time/internal-deadlines.ts';
import { apiKeyOptions, bearerTokenOptions } from './bearer-or-api-key-options.table.ts';
import type { ApiKeyOptions, BearerTokenOptions } from './bearer-or-api-key-options.ts';

/** What a function that returns a token gets. */
export interface TokenNeed {
  /** The URL of the server. */
  readonly url: string;
  /** The token that the server refused (401), if there was one: return another. */
  readonly refused?: string;
  /** Aborted when no request waits for the token any more, or after a minute. */
  readonly signal: AbortSignal;
}

/** Returns a token. It is called before the first request, and again when the server refuses the token. */
export type GetToken = (need: TokenNeed) => string | PromiseLike<string>;

/**
 * Sends a bearer token with every request. A function is called for the first token, and for another one when the server
 * refuses it: once for a request.
 *
 * @example
 * ```ts
 * const client = await connect({ url: 'https://mcp.example.com/mcp', auth: bearerToken(() => readToken()) });
 * ```
 */
export function bearerToken(token: string | GetToken, options: BearerTokenOptions = {}): ClientAuth {
  const { timeoutMs } = readOptions('bearerToken()', bearerTokenOptions, options);
  return givenCredentials('bearerToken()', token, { timeoutMs, options }, (text) => ({
    authorization: `Bearer ${text}`,
  }));
}

/**
 * Sends an API key with every request, in a header of its own. A function is called as by `bearerToken`.
 *
 * @example
 * ```ts
 * const client = await connect({ url: 'https://mcp.example.com/mcp', auth: apiKey(key, { header: 'x-api-key' }) });
 * ```
 */
export function apiKey(key: string | GetToken, options: ApiKeyOptions = {}): ClientAuth {
  const { header, timeoutMs } = readOptions('apiKey()', apiKeyOptions, options);
  const name = header.toLowerCase();
  return givenCredentials('apiKey()', key, { timeoutMs, options }, (text) => ({ [name]: text }));
}

/** Tests have a clock in the options. */
interface Timing {
  readonly timeoutMs: number;
  readonly options: BearerTokenOptions;
}

type ToHeaders = (token: string) => AuthHeaders;

function givenCredentials(
  of: string,
  token: string | GetToken,
  { timeoutMs, options }: Timing,
  toHeaders: ToHeaders,
): ClientAuth {
  if (typeof token !== 'function') {
    if (!isToken(token)) throw wrong(of, 'the token', tokenMust);
    const headers = toHeaders(token);
    return { forServer: () => ({ headers: () => headers, refused: async () => false }) };
  }
  const deadlines = deadlinesIn(options) ?? processDeadlines();
  return {
    forServer: (url) =>
      new FunctionTokens(toHeaders, (refused) =>
        withTimeout(deadlines, timeoutMs, async (signal) => {
          const found: unknown = await token({ url, signal, ...(refused === undefined ? {} : { refused }) });
          if (!isToken(found)) throw new Error(`It must ${tokenMust}.`);
          return found;
        }),
      ),
  };
}

/**
 * New tokens of a function for one request.
 * @limit credentials
 * @default 1
 * @beyond the refusal is the result
 * @code unauthorized
 */
const renewal = 'token';

interface Held {
  readonly token: string;
  readonly headers: AuthHeaders;
}

/** The token of a function: all requests that wait for it share one call. */
class FunctionTokens implements ServerAuth {
  readonly #toHeaders: ToHeaders;
  readonly #get: (refused?: string) => Promise<string>;
  #held: Held | undefined;
  #getting: Promise<Held> | undefined;

  constructor(toHeaders: ToHeaders, get: (refused?: string) => Promise<string>) {
    this.#toHeaders = toHeaders;
    this.#get = get;
  }

  headers(): AuthHeaders | Promise<AuthHeaders> {
    return this.#held?.headers ?? this.#renew(undefined).then(({ headers }) => headers);
  }

  /** A 403 is an answer: the function knows nothing of scopes. */
  async refused({ status, sent, done }: Parameters<ServerAuth['refused']>[0]): Promise<boolean> {
    if (status !== 401 || done.includes(renewal)) return false;
    done.push(renewal);
    const held = this.#held;
    // Another request was refused before, and there is a new token already.
    if (held !== undefined && held.headers !== sent) return true;
    const renewed = await this.#renew(held?.token);
    return renewed.token !== held?.token;
  }

  #renew(refused: string | undefined): Promise<Held> {
    this.#getting ??= this.#get(refused)
      .then((token) => (this.#held = { token, headers: this.#toHeaders(token) }))
      .finally(() => {
        this.#getting = undefined;
      });
    return this.#getting;
  }
}

const tokenMust = 'be a text of visible characters, without spaces';
const isToken = (value: unknown): value is string => typeof value === 'string' && /^[\x21-\x7e]+$/.test(value);

/** A failure is that of a callback: an error of the kind `timeout` would count as a server that does not answer. */
function withTimeout(
  deadlines: Deadlines,
  timeoutMs: number,
  get: (signal: AbortSignal) => Promise<string>,
): Promise<string> {
  return new Promise((resolve, reject) => {
    const control = new AbortController();
    const fail = (cause: unknown): void => reject(functionFailed(cause));
    const deadline = deadlines.add(timeoutMs, () => {
      const late = new TenonError('timeout', `It returned no token within ${timeoutMs} ms.`, {
        hint: 'Make it faster.',
        details: { timeoutMs },
      });
      control.abort(late);
      fail(late);
    });
    get(control.signal)
      .then(resolve, fail)
      .finally(() => deadlines.cancel(deadline));
  });
}

const functionFailed = (cause: unknown): TenonError =>
  new TenonError('callback-failed', 'The function for tokens failed.', { hint: 'Its error is the cause.', cause });
