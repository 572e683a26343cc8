/** What a caller opens belongs to issuer and subject; scopes, claims and expiry are those of the current request. */
import { type Authenticate, type PrincipalDetails, tool } from 'tenon';
import { describe, expect, it } from 'vitest';
import {
  call,
  initialize,
  loneCall,
  notification,
  sessionRevisions,
  startSession,
} from '../../../kit/http/messages.ts';
import { open, send } from '../../../kit/http/raw-http.ts';
import { serve } from '../../../kit/http/sample-server.ts';

const issuer = 'https://issuer.example';

const people: Record<string, PrincipalDetails> = {
  read: { issuer, subject: 'ada', scopes: ['read'], client: 'editor' },
  write: { issuer, subject: 'ada', scopes: ['read', 'write'], roles: ['admin'], claims: { team: 'blue' } },
  eve: { issuer, subject: 'eve', scopes: ['read'] },
  'same text': { issuer: `${issuer} ada`, subject: 'x' },
  'same text too': { issuer, subject: 'ada x' },
};
const authenticate: Authenticate = ({ header }) => people[header('x-user') ?? ''];

let runs = 0;
const tools = {
  whoami: tool({}, (_given, { caller }) => JSON.stringify(caller.principal ?? null)),
  count: tool({ annotations: { idempotentHint: true } }, () => String(++runs)),
};

const shown = (answer: { readonly json: unknown }): Record<string, unknown> =>
  JSON.parse((answer.json as { result: { content: { text: string }[] } }).result.content[0]?.text ?? '');

const as = (user: string, sent: ReturnType<typeof loneCall> = loneCall('whoami')) => ({
  ...sent,
  headers: { ...sent.headers, 'x-user': user },
});

describe('a principal', () => {
  it('reaches handlers whole, with issuer and subject as its key', async () => {
    const { url } = await serve({ authenticate }, {}, { tools });
    expect(shown(await send(url, as('write')))).toEqual({
      key: JSON.stringify([issuer, 'ada']),
      issuer,
      subject: 'ada',
      scopes: ['read', 'write'],
      roles: ['admin'],
      claims: { team: 'blue' },
    });
    expect(shown(await send(url, as('read')))).toMatchObject({ client: 'editor', roles: [], claims: {} });
  });

  it('is named by a text in short', async () => {
    const { url } = await serve({ authenticate: () => 'issuer ada' }, {}, { tools });
    expect(shown(await send(url, loneCall('whoami')))).toMatchObject({ key: 'issuer ada', subject: 'issuer ada' });
  });

  it('has issuer and subject that cannot run into each other', async () => {
    const { url } = await serve({ authenticate }, {}, { tools });
    const session = await startSession(url, '2025-11-25', { headers: { 'x-user': 'same text' } });
    expect((await session.post(call('whoami'), { 'x-user': 'same text too' })).status).toBe(404);
    expect((await session.post(call('whoami'))).status).toBe(200);
  });

  it.each([
    [{ subject: 'ada' }],
    [{ issuer }],
    [{ issuer, subject: '' }],
    [{ issuer, subject: 'ada', scopes: 'read' }],
    [{ issuer, subject: 'ada', roles: [1] }],
    [{ issuer, subject: 'ada', expiresAt: 'tomorrow' }],
    [{ issuer, subject: 'ada', expiresAt: 2e9 }],
  ])('%j is not valid: the request gets 500, and onWarning the reason', async (result) => {
    const { url, warnings } = await serve({ authenticate: (() => result) as unknown as Authenticate }, {}, { tools });
    expect((await send(url, loneCall('whoami'))).status).toBe(500);
    expect(warnings).toMatchObject([{ code: 'callback-failed', cause: { name: 'TypeError' } }]);
  });

  it('that has expired gets 401', async () => {
    const { url } = await serve({ authenticate: () => ({ issuer, subject: 'ada', expiresAt: 1 }) }, {}, { tools });
    const refused = await send(url, loneCall('whoami'));
    expect(refused).toMatchObject({ status: 401, headers: { 'www-authenticate': 'Bearer error="invalid_token"' } });
  });

  it('with a challenge beside it is refused', async () => {
    const both = { issuer, subject: 'ada', challenge: 'Bearer' };
    const { url } = await serve({ authenticate: () => both }, {}, { tools });
    expect((await send(url, loneCall('whoami'))).status).toBe(401);
  });
});

describe('a session', () => {
  it.each(sessionRevisions)('at %s has the scopes of each request, not those it was opened with', async (revision) => {
    const { url } = await serve({ authenticate }, {}, { tools });
    const session = await startSession(url, revision, { headers: { 'x-user': 'read' } });
    expect(shown(await session.post(call('whoami')))).toMatchObject({ scopes: ['read'] });
    expect(shown(await session.post(call('whoami'), { 'x-user': 'write' }))).toMatchObject({
      scopes: ['read', 'write'],
    });
    expect(shown(await session.post(call('whoami')))).toMatchObject({ scopes: ['read'] });
    expect((await session.post(call('whoami'), { 'x-user': 'eve' })).status).toBe(404);
  });
});

it('over HTTP+SSE each message has the scopes of its own request, and another principal gets 404', async () => {
  const { url } = await serve({ authenticate }, {}, { tools });
  const stream = await open(url.replace('/mcp', '/sse'), {
    method: 'GET',
    headers: { accept: 'text/event-stream', 'x-user': 'read' },
  });
  await stream.until(() => stream.text().includes('session='), 'the URL to post to');
  const messages = new URL(/data: (\S+)/.exec(stream.text())?.[1] ?? '', url).href;
  const post = (user: string, body: unknown) => send(messages, { body, headers: { 'x-user': user } });
  const answered = (id: unknown) =>
    stream.events().find(({ data }) => data.includes(`"id":${JSON.stringify(id)}`))?.data;
  const scopesOf = async (user: string, id: number): Promise<unknown> => {
    expect((await post(user, call('whoami', {}, id))).status).toBe(202);
    await stream.until(() => answered(id) !== undefined, 'the answer');
    return shown({ json: JSON.parse(answered(id) ?? '') }).scopes;
  };
  await post('read', initialize('2024-11-05'));
  await stream.until(() => answered('hello') !== undefined, 'the answer to initialize');
  await post('read', notification('notifications/initialized'));
  expect(await scopesOf('read', 1)).toEqual(['read']);
  expect(await scopesOf('write', 2)).toEqual(['read', 'write']);
  expect((await post('eve', call('whoami', {}, 3))).status).toBe(404);
  stream.cut();
});

it('an idempotency key belongs to issuer and subject, whatever the scopes', async () => {
  const { url } = await serve({ authenticate }, {}, { tools });
  const keyed = loneCall('count', {}, { 'dev.tenon/idempotency-key': 'k-1' });
  const first = shown(await send(url, as('read', keyed)));
  expect(shown(await send(url, as('write', keyed)))).toEqual(first);
  expect(shown(await send(url, as('eve', keyed)))).not.toEqual(first);
});
