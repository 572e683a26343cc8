/** An authorization server for tests: real keys, a real JWKS endpoint, and every request to it counted. */
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { type CryptoKey, exportJWK, generateKeyPair, type JWK, type JWTPayload, SignJWT } from 'jose';
import { onTestFinished } from 'vitest';

export const resource = 'https://mcp.example/mcp';

export interface SigningKey {
  readonly kid: string;
  readonly alg: string;
  readonly privateKey: CryptoKey;
  readonly publicJwk: JWK;
}

export async function newKey(kid: string, alg = 'ES256'): Promise<SigningKey> {
  const { privateKey, publicKey } = await generateKeyPair(alg, { extractable: true });
  return { kid, alg, privateKey, publicJwk: { ...(await exportJWK(publicKey)), kid, alg, use: 'sig' } };
}

export interface TestIssuer {
  readonly issuer: string;
  /** The published keys; a test may change them. */
  keys: JWK[];
  /** What the endpoints do: answer, or fail with 500. */
  mode: 'up' | 'down';
  /** The paths of all requests so far. */
  readonly requests: string[];
  /** Signs a token with the claims of a valid one and those given; `undefined` removes a claim. */
  sign(
    claims?: JWTPayload,
    options?: { readonly key?: SigningKey; readonly header?: Record<string, unknown> },
  ): Promise<string>;
  /** Fields of its metadata that are not what they should be. */
  metadata: Record<string, unknown>;
  /** Answers at its introspection endpoint: an object as JSON, or a text as it is. */
  introspect: (form: URLSearchParams, authorization: string | undefined) => object | string;
  /** Answers at its token endpoint. */
  token: (form: URLSearchParams, authorization: string | undefined) => TokenAnswer | Promise<TokenAnswer>;
}

export interface TokenAnswer {
  readonly status?: number;
  readonly body: object;
}

export const seconds = (): number => Math.floor(Date.now() / 1000);

export async function startIssuer(key: SigningKey, path = ''): Promise<TestIssuer> {
  const requests: string[] = [];
  const server: Server = createServer((request, response) => {
    requests.push(request.url ?? '');
    if (state.mode === 'down') return void response.writeHead(500).end();
    const { url, method, headers } = request;
    if ((url === '/introspect' || url === '/token') && method === 'POST') {
      let text = '';
      request.setEncoding('utf8').on('data', (part: string) => void (text += part));
      request.once('end', async () => {
        const form = new URLSearchParams(text);
        const { status = 200, body } =
          url === '/token'
            ? await state.token(form, headers.authorization)
            : { body: state.introspect(form, headers.authorization) };
        response.writeHead(status, { 'content-type': 'application/json' });
        response.end(typeof body === 'string' ? body : JSON.stringify(body));
      });
      return;
    }
    const isMetadata = request.url === `/.well-known/oauth-authorization-server${path}`;
    if (!isMetadata && request.url !== '/jwks') return void response.writeHead(404).end();
    const metadata = {
      issuer: state.issuer,
      jwks_uri: `${origin}/jwks`,
      introspection_endpoint: `${origin}/introspect`,
      token_endpoint: `${origin}/token`,
      ...state.metadata,
    };
    response.writeHead(200, { 'content-type': 'application/json' });
    response.end(JSON.stringify(isMetadata ? metadata : { keys: state.keys }));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const state: TestIssuer = {
    issuer: origin + path,
    keys: [key.publicJwk],
    mode: 'up',
    requests,
    metadata: {},
    introspect: () => ({ active: false }),
    token: () => ({ status: 400, body: { error: 'unsupported_grant_type' } }),
    sign(claims = {}, { key: signing = key, header = {} } = {}) {
      const valid = { iss: state.issuer, sub: 'ada', aud: resource, exp: seconds() + 600, iat: seconds() };
      const payload = Object.fromEntries(
        Object.entries({ ...valid, ...claims }).filter(([, value]) => value !== undefined),
      );
      return new SignJWT(payload)
        .setProtectedHeader({ alg: signing.alg, kid: signing.kid, typ: 'at+jwt', ...header })
        .sign(signing.privateKey);
    },
  };
  return state;
}
