/** `_meta.authorization` beside `params`, on transports without headers: the same `authenticate` decides about each message. */
import { PassThrough } from 'node:stream';
import { type AuthResult, createServer, type Middleware, serveStdio, tool } from 'tenon';
import { protect } from 'tenon/auth';
import { protocolVersions } from 'tenon/protocol';
import type { AcceptOptions, Authenticate } from 'tenon/server';
import { createTestConnection } from 'tenon/test';
import { describe, expect, it } from 'vitest';
import { deferred } from '../../kit/deferred.ts';
import { call, startSession } from '../../kit/http/messages.ts';
import { serve } from '../../kit/http/sample-server.ts';
import { envelope, openAt, openRaw, request } from '../../kit/transport/raw-connection.ts';

const issuer = 'https://issuer.example';
const canary = 'canary-4711';

const seen: unknown[] = [];
const watching: Middleware = ({ params, ctx }, next) => {
  seen.push(params, ctx.meta, ctx.request.header('authorization'));
  return next();
};
const server = createServer(
  {
    name: 'guarded',
    version: '1',
    tools: {
      whoami: tool({}, (_given, { caller }) => caller.principal?.subject ?? 'no one'),
      wipe: tool({ scopes: ['write'] }, () => 'wiped'),
    },
  },
  { middleware: [watching] },
);

/** A token is a name and scopes: `Bearer ada.write`. */
const authenticate: Authenticate<undefined> = ({ header }) => {
  const [subject, ...scopes] = /^Bearer (\S+)$/.exec(header('authorization') ?? '')?.[1]?.split('.') ?? [];
  if (subject === 'forbidden') return { challenge: 'Bearer error="insufficient_scope", scope="a b"', status: 403 };
  if (subject === 'late') return { issuer, subject, expiresAt: 1 };
  if (subject === 'broken') throw new Error('no keys');
  return subject === undefined || subject === canary ? undefined : { issuer, subject, scopes };
};

const by = (message: object, token: string | undefined) =>
  token === undefined ? message : { ...message, _meta: { authorization: `Bearer ${token}` } };
const ask = (id: number, name = 'whoami') => request(id, 'tools/call', envelope({ name, arguments: {} }));
const answered = (id: number, text: string) => ({ id, result: { content: [{ text }] } });
/** Middleware makes calls take longer than refusals. */
const byId = (answers: Record<string, unknown>[]) =>
  answers.toSorted((one, other) => Number(one.id) - Number(other.id));
const refused = (id: number, code: number) => ({ id, error: { code } });

describe('a connection with authenticate', () => {
  it.each(protocolVersions)(
    'decides about each message by its authorization at %s [S22, e-secbp-09]',
    async (version) => {
      const open = await openAt(server, version, { authenticate, principal: { issuer, subject: 'owner' } });
      const whoami = (id: number, name = 'whoami') => open.ask(id, 'tools/call', { name, arguments: {} });
      for (const [at, token] of ['ada.write', undefined, 'eve', canary].entries()) open.send(by(whoami(at), token));
      open.send(by(whoami(4, 'wipe'), 'ada.write'));
      open.send(by(whoami(5, 'wipe'), 'ada.read'));
      const answers = await open.settled();
      expect(byId(answers)).toMatchObject([
        answered(0, 'ada'),
        answered(1, 'owner'),
        answered(2, 'eve'),
        refused(3, -31401),
        answered(4, 'wiped'),
        { id: 5, error: { code: -31433, data: { scope: 'read write' } } },
      ]);
      expect(JSON.stringify([answers, seen, open.warnings])).not.toMatch(/4711|Bearer ada/);
    },
  );

  it('takes an authorization that is not a text for a wrong one', async () => {
    const open = openRaw(server, { authenticate, principal: { issuer, subject: 'owner' } });
    for (const [at, authorization] of [5, null, {}, ['Bearer ada']].entries())
      open.send({ ...ask(at), _meta: { authorization } });
    expect(byId(await open.settled())).toMatchObject([0, 1, 2, 3].map((id) => refused(id, -31401)));
  });

  it('asks authenticate about messages without authorization if it has no principal', async () => {
    const open = openRaw(server, { authenticate });
    open.send(ask(1));
    expect(await open.next()).toMatchObject(refused(1, -31401));
    const anonymous = openRaw(server, { authenticate: () => ({ anonymous: true }) });
    anonymous.send(ask(1));
    expect(await anonymous.next()).toMatchObject(answered(1, 'no one'));
  });

  it.each([
    ['forbidden', -31433, { challenge: expect.stringMatching(/^Bearer error="insuff/), scope: 'a b' }],
    ['late', -31401, undefined],
    ['broken', -32603, undefined],
  ])('answers credentials that are %s with an error', async (token, code, data) => {
    const { send, next, warnings } = openRaw(server, { authenticate });
    send(by(ask(1), token));
    expect(await next()).toMatchObject({ id: 1, error: { code, ...(data && { data }) } });
    expect(warnings).toHaveLength(token === 'broken' ? 1 : 0);
  });

  it('refuses messages of a principal that has expired', async () => {
    const { send, next } = openRaw(server, { authenticate, principal: { issuer, subject: 'owner', expiresAt: 1 } });
    send(ask(1));
    expect(await next()).toMatchObject(refused(1, -31401));
  });

  it('drops a notification that is refused, with a warning', async () => {
    const { send, settled, warnings } = openRaw(server, { authenticate, principal: 'owner' });
    send(by({ jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: 1 } }, canary));
    await settled();
    expect(warnings).toMatchObject([
      { code: 'unauthorized', message: expect.stringContaining('notifications/cancelled') },
    ]);
  });

  it('serves messages in their order, also if an earlier one takes longer to authenticate', async () => {
    const first = deferred<AuthResult>();
    const results: (AuthResult | Promise<AuthResult>)[] = [first.promise, 'second'];
    const { send, next } = openRaw(server, { authenticate: () => results.shift() });
    send(ask(1));
    send(ask(2));
    first.resolve('first');
    expect(await next()).toMatchObject(answered(1, 'first'));
    expect(await next()).toMatchObject(answered(2, 'second'));
  });

  it('has at most 1000 messages that wait, and answers a request beyond them', async () => {
    const { send, next } = openRaw(server, { authenticate: () => new Promise(() => {}) });
    for (let id = 1; id <= 1001; id++) send(ask(id));
    expect(await next()).toMatchObject({ id: 1001, error: { code: -31503, data: { retryAfterMs: 1000 } } });
  });

  it('serves what arrived before it closes, however long that takes to authenticate', async () => {
    const held = deferred<AuthResult>();
    const options: AcceptOptions = { authenticate: () => held.promise };
    let connection: { close(): Promise<void> } | undefined;
    const accepting = {
      ...server,
      accept: (...given: Parameters<typeof server.accept>) => (connection = server.accept(...given)),
    };
    const { send, next } = openRaw(accepting as never, options);
    send(ask(1));
    await Promise.resolve();
    const closed = connection?.close();
    send(ask(2));
    held.resolve('ada');
    expect(byId([await next(), await next()])).toMatchObject([answered(1, 'ada'), refused(2, -31503)]);
    await closed;
  });
});

it('serveStdio takes authenticate, such as protect, and a principal [S22]', async () => {
  const stdin = new PassThrough();
  const stdout = new PassThrough();
  const verify = (token: string) => (token === 'good' ? { issuer, subject: 'ada' } : undefined);
  const service = serveStdio(server, {
    stdin,
    stdout,
    authenticate: protect({ issuer, resource: 'https://mcp.example/mcp', verify }),
    principal: { issuer: 'os', subject: 'me' },
  });
  for (const [at, token] of ['good', canary, undefined].entries())
    stdin.write(`${JSON.stringify(by(ask(at), token))}\n`);
  stdin.end();
  await service.closed;
  const answers = String(stdout.read())
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line));
  expect(byId(answers)).toMatchObject([
    answered(0, 'ada'),
    { id: 1, error: { code: -31401, data: { challenge: expect.stringContaining('invalid_token') } } },
    answered(2, 'me'),
  ]);
  expect(JSON.stringify(answers)).not.toContain('4711');
});

it.each([{ principal: 7 }, { principal: { subject: 'ada' } }, { authenticate: 'yes' }])(
  'serveStdio rejects %j',
  (options) => {
    expect(() => serveStdio(server, options as never)).toThrow(
      expect.objectContaining({
        code: 'invalid-argument',
        message: expect.stringContaining(Object.keys(options)[0] ?? ''),
      }),
    );
  },
);

it('a test connection has the principal of the test, with its scopes', async () => {
  const principal = { issuer, subject: 'ada', scopes: ['write'] };
  const { client, close } = await createTestConnection(server, { principal });
  await expect(client.tools.call('wipe')).resolves.toMatchObject({ content: [{ text: 'wiped' }] });
  await close();
});

it('over HTTP the field is not consulted [S22]', async () => {
  const { url } = await serve({ authenticate: ({ header }) => header('x-user') }, {}, server.features);
  const session = await startSession(url, '2025-06-18', { headers: { 'x-user': 'ada' } });
  const answer = await session.post(by(call('whoami'), 'eve'));
  expect(answer.json).toMatchObject(answered(1, 'ada'));
});
