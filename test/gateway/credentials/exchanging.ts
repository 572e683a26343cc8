/** A gateway that exchanges the tokens of its callers: their issuer, an upstream that accepts its tokens, and callers. */
import type { JWTPayload } from 'jose';
import { type Client, type ConnectOptions, createServer, serveHttp, tool } from 'tenon';
import { generateApiKey, protect } from 'tenon/auth';
import { onTestFinished } from 'vitest';
import { claimsOf } from '../../kit/auth/dev-auth.ts';
import { newKey, seconds, startIssuer, type TestIssuer, type TokenAnswer } from '../../kit/auth/issuer.ts';
import { clientOf, freePort, serving } from '../command/serving.ts';

/** Seconds that an exchanged token is valid for. */
export const exchangedSeconds = 60;

/** One request to the token endpoint. */
export interface ExchangeRequest {
  readonly form: Readonly<Record<string, string>>;
  readonly authorization: string | undefined;
  /** What it answered with. */
  readonly issued: string | undefined;
}

export interface ExchangeOptions {
  /** More members of the section `auth`. */
  readonly auth?: string;
  /** More members of the file. */
  readonly more?: string;
  /** Other issuers whose tokens the gateway accepts. */
  readonly others?: readonly string[];
  /** The authorization server that the upstream names, if it is another one. */
  readonly upstreamIssuer?: string;
}

/** An authorization server that exchanges tokens, and what it was asked. */
export async function exchangingIssuer() {
  const issuer = await startIssuer(await newKey('key'));
  const requests: ExchangeRequest[] = [];
  /** In place of a token: for the token that is to be exchanged. */
  const answers: ((subjectToken: string) => TokenAnswer)[] = [];
  issuer.token = async (form, authorization) => {
    const subjectToken = form.get('subject_token') ?? '';
    const refusal = answers[0]?.(subjectToken);
    const subject = claimsOf(subjectToken);
    const claims = {
      sub: subject.sub as string,
      aud: form.get('resource') ?? form.get('audience') ?? '',
      client_id: `${String(subject.client_id)} by gateway`,
      exp: seconds() + exchangedSeconds,
      scope: form.get('scope') ?? '',
      jti: crypto.randomUUID(),
    };
    const issued = refusal === undefined ? await issuer.sign(claims) : undefined;
    requests.push({ form: Object.fromEntries(form), authorization, issued });
    if (refusal !== undefined) return refusal;
    return {
      body: {
        access_token: issued,
        issued_token_type: 'urn:ietf:params:oauth:token-type:access_token',
        token_type: 'Bearer',
        expires_in: exchangedSeconds,
        refresh_token: 'planted-refresh',
      },
    };
  };
  return { issuer, requests, answers };
}

/** Its tools say whose token a call had. */
async function upstreamOf(issuer: string, audiences: readonly string[]) {
  const received: string[] = [];
  const port = await freePort();
  const server = createServer({
    name: 'orders',
    version: '1.0.0',
    tools: {
      whoami: tool({}, (_given, { caller: { principal } }) => `${principal?.subject} with ${principal?.client}`),
    },
  });
  const protection = protect({ issuer, resource: `http://127.0.0.1:${port}/mcp`, audiences });
  const authenticate: typeof protection = Object.assign((request: Parameters<typeof protection>[0]) => {
    received.push(JSON.stringify((request.raw as { rawHeaders: unknown }).rawHeaders));
    return protection(request);
  }, protection);
  const service = await serveHttp(server, {
    port,
    authenticate,
    tap: (event) => void received.push(JSON.stringify(event)),
  });
  onTestFinished(() => service.close());
  return { url: service.url, received };
}

export async function startExchange({ auth = '', more = '', others = [], upstreamIssuer }: ExchangeOptions = {}) {
  const { issuer, requests, answers } = await exchangingIssuer();
  const upstream = await upstreamOf(upstreamIssuer ?? issuer.issuer, ['orders-api']);
  const port = await freePort();
  const url = `http://127.0.0.1:${port}/mcp`;
  const program = await generateApiKey();
  const gateway = await serving(
    `listen: ${port}
protect:
  issuers: ${JSON.stringify([issuer.issuer, ...others])}
  apiKeys: [{ id: ${program.id}, hash: ${program.hash}, subject: ada }]
secretsFile: secrets.yaml
${more}
upstreams:
  orders:
    url: '${upstream.url}'
    prefix: orders
    auth: { type: token-exchange, clientId: gateway, secret: exchange, issuer: '${issuer.issuer}'${auth} }
`,
    { 'secrets.yaml': 'exchange: planted-client\nseal: what-a-test-seals-with-and-nothing-else\n' },
  );
  /** The inbound tokens so far. */
  const inbound: string[] = [];
  const tokenOf = async (of: TestIssuer, claims: JWTPayload): Promise<string> => {
    const token = await of.sign({ aud: url, jti: crypto.randomUUID(), ...claims });
    inbound.push(token);
    return token;
  };
  const withToken = (token: string, options: ConnectOptions = {}): Promise<Client> =>
    clientOf({ url, headers: { authorization: `Bearer ${token}` } }, { cache: false, ...options });
  /** A client of the user with a token of its own. */
  const callerOf = async (user: string, client = 'editor', options: ConnectOptions = {}): Promise<Client> =>
    withToken(await tokenOf(issuer, { sub: user, client_id: client }), options);
  return { issuer, requests, answers, upstream, gateway, url, program, inbound, tokenOf, withToken, callerOf };
}
