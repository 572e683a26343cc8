/** The option `auth`: whose credentials a request has, and what must not be shown of them. */
import type { AuthHeaders, ClientAuth } from '../../client/http/port/client-auth.ts';
import { TenonError } from '../../lib/errors/tenon-error.ts';
import { wrong } from '../../lib/options/option-rules.ts';
import { nameHint } from '../../lib/text/nearest-name.ts';
import { shown } from '../../lib/text/shown.ts';
import type { Principal } from '../../ports/principal.ts';
import { ToolError } from '../../server/definition/tool-error.ts';
import type { ApiOperation } from '../operations/operation.ts';
import type { Needs } from '../operations/security.ts';

/** What a function that returns credentials gets. */
export interface CredentialNeed {
  /** Who calls the tool; `undefined` without authentication of the server. */
  readonly principal: Principal | undefined;
  /** The operation that is requested. */
  readonly operation: ApiOperation;
  /** The scopes that the document names for it. */
  readonly scopes: readonly string[];
  /** Whether the API refused (401) what the function returned before. It is called once more with that. */
  readonly refused: boolean;
  /** Aborted when the call is cancelled. */
  readonly signal: AbortSignal;
}

/** Returns a credential: a token, a key, or `user:password` for the scheme `basic`. `undefined`: this caller has none. */
export type GetCredential = (need: CredentialNeed) => string | undefined | PromiseLike<string | undefined>;

/** Returns the headers with the credentials of a caller. `undefined`: this caller has none. */
export type GetAuthHeaders = (
  need: CredentialNeed,
) => Readonly<Record<string, string>> | undefined | PromiseLike<Readonly<Record<string, string>> | undefined>;

/** Credentials of an API: by the name of its security scheme, as headers, or of `bearerToken`, `apiKey` or `oauth`. */
export type OpenApiAuth = Readonly<Record<string, string | GetCredential>> | GetAuthHeaders | ClientAuth;

/** Credentials of one request. */
export interface Applied {
  readonly headers: Readonly<Record<string, string>>;
  readonly query: readonly (readonly [name: string, value: string])[];
  /** Texts that no client may get. */
  readonly secrets: readonly string[];
}

export interface CredentialCall extends Omit<CredentialNeed, 'refused'>, Needs {
  readonly url: string;
}

export interface Credentials {
  /** Whether there are credentials for a security scheme. Absent where the credentials are the same for all schemes. */
  readonly has?: (scheme: string) => boolean;
  /** `refused` are those that the API refused. Resolves to nothing if there are no others. */
  readonly get: (call: CredentialCall, refused?: Applied) => Promise<Applied | undefined>;
}

const none: Applied = { headers: {}, query: [], secrets: [] };

export function readCredentials(auth: OpenApiAuth | undefined, known: readonly string[], base: URL): Credentials {
  if (auth === undefined)
    return { has: () => false, get: async (_, refused) => (refused === undefined ? none : undefined) };
  if (typeof auth === 'function') return headerCredentials(auth);
  if (isClientAuth(auth)) return clientCredentials(auth, base);
  for (const [name, one] of Object.entries(auth)) {
    const place = `auth.${shown(name)}`;
    if (!known.includes(name))
      throw wrong('openapiServer()', place, `name a security scheme. ${nameHint(name, known)}`);
    if (typeof one !== 'function' && !isSafe(one))
      throw wrong('openapiServer()', place, 'be a function or a text of visible characters');
  }
  return schemeCredentials(auth);
}

export const isClientAuth = (auth: OpenApiAuth): auth is ClientAuth =>
  typeof auth === 'object' && typeof (auth as Partial<ClientAuth>).forServer === 'function';

/** A wrong value is never shown: the platform's own errors quote it. */
const isSafe = (value: unknown): value is string => typeof value === 'string' && /^[\x20-\x7e]+$/.test(value);

const unsafe = (): TenonError =>
  new TenonError('callback-failed', 'The function for credentials returned something else than visible ASCII text.', {
    hint: 'Return a text, or undefined.',
  });

const noCredential = (): ToolError =>
  new ToolError('You have no credentials for this API. Ask the user to connect an account.');

async function asked<T>(get: () => T | PromiseLike<T>): Promise<T> {
  try {
    return await get();
  } catch (cause) {
    throw new TenonError('callback-failed', 'The function for credentials failed.', {
      hint: 'Its error is the cause.',
      cause,
    });
  }
}

const needOf = (
  { principal, operation, scopes, signal }: CredentialCall,
  refused: Applied | undefined,
): CredentialNeed => ({ principal, operation, scopes, signal, refused: refused !== undefined });

function headerCredentials(getHeaders: GetAuthHeaders): Credentials {
  return {
    async get(call, refused) {
      const headers = await asked(() => getHeaders(needOf(call, refused)));
      if (headers === undefined) throw noCredential();
      return differing(appliedHeaders(headers), refused);
    },
  };
}

function schemeCredentials(auth: Readonly<Record<string, string | GetCredential>>): Credentials {
  return {
    has: (scheme) => Object.hasOwn(auth, scheme),
    async get(call, refused) {
      const headers: Record<string, string> = {};
      const query: [string, string][] = [];
      const secrets: string[] = [];
      for (const { name, sent, field } of call.schemes) {
        const one = auth[name];
        const value = typeof one === 'function' ? await asked(() => one(needOf(call, refused))) : one;
        if (value === undefined) throw noCredential();
        if (!isSafe(value)) throw unsafe();
        if (sent === 'query') query.push([field, value]);
        else
          headers[field] = sent === 'bearer' ? `Bearer ${value}` : sent === 'basic' ? `Basic ${base64(value)}` : value;
        secrets.push(value, ...(sent === 'basic' ? [base64(value), value.slice(value.indexOf(':') + 1)] : []));
      }
      return differing({ headers, query, secrets }, refused);
    },
  };
}

/** The methods that `ClientAuth` knows: to credentials all that change something are one. */
const authMethod = (method: string): 'GET' | 'DELETE' | 'POST' =>
  method === 'get' ? 'GET' : method === 'delete' ? 'DELETE' : 'POST';

function clientCredentials(auth: ClientAuth, base: URL): Credentials {
  const server = auth.forServer(base.href);
  const sentHeaders = new WeakMap<Applied, AuthHeaders>();
  return {
    async get({ operation, url, signal }, refused) {
      const request = { method: authMethod(operation.method), url };
      if (refused !== undefined) {
        const sent = sentHeaders.get(refused);
        const refusal = {
          ...request,
          status: 401,
          challenges: [],
          header: () => undefined,
          operation: operation.path,
          sent,
          done: [],
        };
        if (!(await server.refused(refusal, signal))) return undefined;
      }
      const headers = (await server.headers(request)) ?? {};
      const applied = appliedHeaders(headers);
      sentHeaders.set(applied, headers);
      return applied;
    },
  };
}

function appliedHeaders(headers: Readonly<Record<string, string>>): Applied {
  const entries = Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value] as const);
  for (const [name, value] of entries)
    if (!isSafe(value) || !isSafe(name) || /^(?:host|content-length|transfer-encoding|connection)$/.test(name))
      throw unsafe();
  const secrets = entries.flatMap(([, value]) => [value, value.slice(value.indexOf(' ') + 1)]);
  return { headers: Object.fromEntries(entries), query: [], secrets };
}

/** The same credentials would be refused again. */
function differing(applied: Applied, refused: Applied | undefined): Applied | undefined {
  const isSame = refused !== undefined && JSON.stringify(refused) === JSON.stringify(applied);
  return isSame ? undefined : applied;
}

const base64 = (text: string): string => Buffer.from(text).toString('base64');
