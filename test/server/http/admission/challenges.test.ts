/** Middleware and handlers refuse a call with 401 or 403 and a challenge, in both lifecycles. */
import { type Authenticate, type Middleware, rpcError, tool } from 'tenon';
import { protect } from 'tenon/auth';
import { describe, expect, it } from 'vitest';
import { call, loneCall, request, sessionRevisions, startSession } from '../../../kit/http/messages.ts';
import { open, send } from '../../../kit/http/raw-http.ts';
import { serve } from '../../../kit/http/sample-server.ts';

const issuer = 'https://issuer.example';
const metadata = 'resource_metadata="https://mcp.example/.well-known/oauth-protected-resource/mcp"';

/** A token is the list of its scopes. */
const verify = (token: string) => ({ issuer, subject: 'ada', scopes: token.split('~') });
const authenticate = protect({ issuer, resource: 'https://mcp.example/mcp', scopes: ['base'], verify });
const headers = { authorization: 'Bearer base~read~offline_access' };

const middleware: Middleware[] = [
  ({ target }, next) => {
    if (target === 'step-up') throw rpcError('insufficient-scope', 'It needs write', { scope: 'write read' });
    if (target === 'sign-in') throw rpcError('unauthorized', 'Sign in again', { scope: 'fresh', retryAfterMs: 1500 });
    return next();
  },
];
const empty = tool({}, () => 'done');
const tools = {
  'step-up': empty,
  'sign-in': empty,
  handler: tool({}, () => {
    throw rpcError('insufficient-scope', 'It needs write', { scope: 'write' });
  }),
  streaming: tool({}, (_given, ctx) => {
    ctx.reportProgress(1);
    throw rpcError('insufficient-scope', 'It needs write', { scope: 'write' });
  }),
  odd: tool({}, () => {
    throw rpcError('insufficient-scope', 'Odd', { scope: 'a"b\r\nx:y \\ ok ö' });
  }),
};

const start = (options: Parameters<typeof serve>[0] = { authenticate }) => serve(options, { middleware }, { tools });

const stepUp = `Bearer error="insufficient_scope", ${metadata}, scope="base read write"`;
const signIn = `Bearer error="invalid_token", ${metadata}, scope="base fresh"`;

describe('a call that is refused', () => {
  it('without a session gets the status and the challenge [S22, s-auth-69, s-auth-70, s-auth-71, e-auth-13, e-auth-49, e-auth-51, e-auth-52]', async () => {
    const { url } = await start();
    const post = (name: string) => send(url, { ...loneCall(name), headers: { ...loneCall(name).headers, ...headers } });
    const refused = await post('step-up');
    expect(refused).toMatchObject({ status: 403, headers: { 'www-authenticate': stepUp } });
    expect(refused.json).toMatchObject({ id: 1, error: { code: -31433, data: { scope: 'write read' } } });
    expect(await post('handler')).toMatchObject({ status: 403, headers: { 'www-authenticate': stepUp } });
    expect(await post('sign-in')).toMatchObject({
      status: 401,
      headers: { 'www-authenticate': signIn, 'retry-after': '2' },
    });
  });

  it.each(sessionRevisions)(
    'in a session at %s gets the status and the challenge, and the session stays [S22, s-auth-69, s-auth-70]',
    async (revision) => {
      const { url } = await start();
      const session = await startSession(url, revision, { headers });
      const refused = await session.post(call('step-up'));
      expect(refused).toMatchObject({ status: 403, headers: { 'www-authenticate': stepUp } });
      expect(refused.json).toMatchObject({ id: 1, error: { code: -31433, message: 'It needs write' } });
      expect(await session.post(call('sign-in'))).toMatchObject({
        status: 401,
        headers: { 'www-authenticate': signIn, 'retry-after': '2' },
      });
      expect((await session.post(request('ping'))).status).toBe(200);
    },
  );

  it('by a client that accepts events alone gets the status too', async () => {
    const { url } = await start();
    const { body, headers: own } = loneCall('step-up');
    const refused = await send(url, { body, headers: { ...own, ...headers, accept: 'text/event-stream' } });
    expect(refused).toMatchObject({ status: 403, headers: { 'www-authenticate': stepUp } });
  });

  it('without credentials gets no error code [e-auth-50]', async () => {
    const anonymous: Authenticate = () => ({ anonymous: true });
    const { url } = await start({ authenticate: anonymous });
    expect(await send(url, loneCall('sign-in'))).toMatchObject({
      status: 401,
      headers: { 'www-authenticate': 'Bearer scope="fresh"' },
    });
  });

  it('has a challenge that only scopes can be in', async () => {
    const { url } = await start({});
    const refused = await send(url, loneCall('odd'));
    expect(refused.headers['www-authenticate']).toBe('Bearer error="insufficient_scope", scope="ok"');
    expect(refused.headers.x).toBeUndefined();
  });

  it('after its stream has begun gets the error with its data in the stream', async () => {
    const { url } = await start();
    const sent = loneCall('streaming', {}, { progressToken: 1 });
    const alone = await open(url, { ...sent, headers: { ...sent.headers, ...headers } });
    const session = await startSession(url, '2025-06-18', { headers });
    const inSession = await session.open({ body: call('streaming', {}, 1, { progressToken: 1 }) });
    for (const stream of [alone, inSession]) {
      await stream.ended;
      expect(stream.status).toBe(200);
      expect(stream.messages().at(-1)).toMatchObject({ id: 1, error: { code: -31433, data: { scope: 'write' } } });
    }
  });

  it('by a page of an allowed origin has a challenge that the page can read', async () => {
    const { url } = await start({ authenticate, allowedOrigins: ['https://page.example'] });
    const { body, headers: own } = loneCall('step-up');
    const refused = await send(url, { body, headers: { ...own, ...headers, origin: 'https://page.example' } });
    expect(refused).toMatchObject({
      status: 403,
      headers: { 'www-authenticate': stepUp, 'access-control-allow-origin': 'https://page.example' },
    });
    const exposed = refused.headers['access-control-expose-headers']?.split(', ');
    expect(exposed).toEqual(expect.arrayContaining(['www-authenticate', 'retry-after']));
  });

  it('in a batch keeps the answers of the other calls, which have run', async () => {
    const { url } = await start();
    const session = await startSession(url, '2025-03-26', { headers });
    const answer = await session.post([call('step-up', {}, 1), call('echo', { text: 'hello' }, 2)]);
    expect(answer.status).toBe(200);
    expect(answer.json).toMatchObject([
      { id: 1, error: { code: -31433 } },
      { id: 2, result: {} },
    ]);
  });
});

it('a request whose principal has expired gets the metadata too [s-auth-64, e-auth-41]', async () => {
  const details = { challengeDetails: { resourceMetadata: 'https://a.example/x', scopes: ['base'] } };
  const expired = Object.assign(() => ({ issuer, subject: 'ada', expiresAt: 1 }), details);
  const { url } = await start({ authenticate: expired });
  expect((await send(url, loneCall('echo'))).headers['www-authenticate']).toBe(
    'Bearer error="invalid_token", resource_metadata="https://a.example/x", scope="base"',
  );
  const { url: other } = await start({ authenticate: Object.assign(() => undefined, details) });
  expect((await send(other, loneCall('echo'))).headers['www-authenticate']).toBe(
    'Bearer resource_metadata="https://a.example/x", scope="base"',
  );
});
