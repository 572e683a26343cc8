/** The development authorization server for tests, and the requests of a client in plain fetch. */
import { createHash, randomBytes } from 'node:crypto';
import { type DevAuthEvent, type DevAuthOptions, type DevAuthServer, startDevAuthServer } from 'tenon/dev-auth';
import { onTestFinished } from 'vitest';
import { visit } from '../../../src/dev-auth/visitor.ts';
import { redirectUri } from './redirect-uri.ts';

export { redirectUri };

export const resource = 'http://127.0.0.1:3000/mcp';
export const deviceGrant = 'urn:ietf:params:oauth:grant-type:device_code';

type Json = Record<string, unknown>;
type Parameters = Record<string, string>;

export interface Answer {
  readonly status: number;
  readonly headers: Headers;
  readonly body: Json & { readonly access_token: string; readonly refresh_token: string };
}

/** The requests of a client. */
export interface AuthRequests {
  readonly metadata: Json & Readonly<Record<string, string>>;
  register(metadata?: Json): Promise<string>;
  /** A form sent to an endpoint of the metadata. */
  send(endpoint: string, parameters: Parameters, headers?: Parameters): Promise<Answer>;
  token(parameters: Parameters, headers?: Parameters): Promise<Answer>;
  /** The URL of an authorization request. */
  authorization(client: string, parameters?: Parameters): URL;
  /** Signs ada in and returns the redirect address with the code; `parameters` replace those of the request. */
  authorize(client: string, parameters?: Parameters): Promise<URL>;
  redeem(client: string, back: URL, parameters?: Parameters, headers?: Parameters): Promise<Answer>;
}

export interface TestedServer extends AuthRequests {
  readonly server: DevAuthServer;
  readonly events: DevAuthEvent[];
  /** How many tokens were issued for a grant type. */
  redemptions(grantType: string): number;
}

/** Every code challenge of these tests is made of this verifier. */
const verifier = randomBytes(32).toString('base64url');
const challenge = createHash('sha256').update(verifier).digest('base64url');

/** Starts a server that the test closes. */
export async function startAuth(options: DevAuthOptions = {}): Promise<TestedServer> {
  const events: DevAuthEvent[] = [];
  const server = await startDevAuthServer({
    onAnnounce: () => {},
    ...options,
    onEvent: (event) => {
      events.push(event);
      options.onEvent?.(event);
    },
  });
  onTestFinished(() => server.close());
  const redemptions = (grantType: string): number =>
    events.filter((event) => event.type === 'token-issued' && event.grantType === grantType).length;
  const user = Object.keys(options.users ?? { ada: {} })[0];
  return { ...(await requestsTo(server.issuer, user)), server, events, redemptions };
}

/** A client of the server at `issuer`, which may be in another process. */
export async function requestsTo(issuer: string, user = 'ada'): Promise<AuthRequests> {
  const metadata = await (await fetch(`${issuer}/.well-known/oauth-authorization-server`)).json();
  const send = async (endpoint: string, parameters: Parameters, headers: Parameters = {}): Promise<Answer> => {
    const body = new URLSearchParams(parameters);
    const response = await fetch(metadata[endpoint] as string, { method: 'POST', headers, body });
    const text = await response.text();
    return { status: response.status, headers: response.headers, body: text === '' ? {} : JSON.parse(text) };
  };
  const token: AuthRequests['token'] = (parameters, headers) => send('token_endpoint', parameters, headers);
  const authorization: AuthRequests['authorization'] = (client, parameters = {}) => {
    const url = new URL(metadata.authorization_endpoint);
    const request = {
      response_type: 'code',
      client_id: client,
      redirect_uri: redirectUri,
      state: 'state-1',
      code_challenge: challenge,
      code_challenge_method: 'S256',
      ...parameters,
    };
    url.search = new URLSearchParams(request).toString();
    return url;
  };
  return {
    metadata,
    async register(given = {}) {
      const response = await fetch(metadata.registration_endpoint, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ redirect_uris: [redirectUri], token_endpoint_auth_method: 'none', ...given }),
      });
      const body = (await response.json()) as { client_id?: string };
      if (body.client_id === undefined) throw new Error(JSON.stringify(body));
      return body.client_id;
    },
    send,
    token,
    authorization,
    authorize: async (client, parameters) => (await visit(issuer, authorization(client, parameters), user, {})).url,
    redeem: (client, back, parameters = {}, headers = {}) =>
      token(
        {
          grant_type: 'authorization_code',
          code: back.searchParams.get('code') ?? '',
          redirect_uri: redirectUri,
          code_verifier: verifier,
          ...(headers.authorization === undefined ? { client_id: client } : {}),
          ...parameters,
        },
        headers,
      ),
  };
}

export const basic = (client: string, secret: string): Parameters => ({
  authorization: `Basic ${Buffer.from(`${client}:${secret}`).toString('base64')}`,
});

/** The claims of a JWT, not verified. */
export const claimsOf = (token: string): Json =>
  JSON.parse(Buffer.from(token.split('.')[1] ?? '', 'base64url').toString()) as Json;
