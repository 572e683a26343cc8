/** The page and the API of approvals: every request is authenticated, and nothing is decided by a link, a GET or another site. */
import { serveHttp, toText } from 'tenon';
import { type Approver, toApprovalHandler, toApprovalListener } from 'tenon/guard';
import { createTestConnection } from 'tenon/test';
import { describe, expect, it, onTestFinished } from 'vitest';
import { ada, approving, eve, grace, pendingIn } from './kit.ts';

const users: Readonly<Record<string, Approver>> = { ada, eve, grace };
const origin = 'https://approve.example.com';

async function stage() {
  const made = approving();
  const { client, close } = await createTestConnection(made.server, { principal: ada });
  const { id } = pendingIn(await client.tools.call('deploy', { env: '<b>\u202etest' })) as { id: string };
  const handler = toApprovalHandler(made.guarded.approvals, {
    authenticate: (request) => users[request.headers.get('authorization') ?? ''],
  });
  const send = (path: string, as: string | undefined, init: RequestInit & { headers?: Record<string, string> } = {}) =>
    handler(
      new Request(`${origin}${path}`, { ...init, headers: { ...(as && { authorization: as }), ...init.headers } }),
    );
  const form = (decision: string, headers: Record<string, string>) => ({
    method: 'POST',
    headers: { 'content-type': 'application/x-www-form-urlencoded', ...headers },
    body: new URLSearchParams({ decision, reason: '' }).toString(),
  });
  return { ...made, client, close, id, send, form };
}

const asJson = { headers: { accept: 'application/json' } };
const fromPage = { 'sec-fetch-site': 'same-origin', origin };

describe('an approver', () => {
  it('sees what waits, reads exactly the call, and approves it by the form', async () => {
    const { id, send, form, client, close, ran } = await stage();
    const list = await send('/approvals', 'grace');
    expect(list.status).toBe(200);
    expect(await list.text()).toContain(`href="/approvals/${id}"`);
    const one = await (await send(`/approvals/${id}`, 'grace')).text();
    expect(one).toContain('&quot;env&quot;: &quot;&lt;b&gt;\\u202etest&quot;');
    expect(one).toContain('name="decision" value="approve"');
    const decided = await send(`/approvals/${id}`, 'grace', form('approve', fromPage));
    expect([decided.status, decided.headers.get('location')]).toEqual([303, `/approvals/${id}`]);
    expect(toText(await client.tools.call('deploy', { env: '<b>\u202etest' }))).toBe('deploy has run');
    expect(ran).toHaveLength(1);
    const after = await (await send(`/approvals/${id}`, 'grace')).text();
    expect(after).toContain('Approved</b> by grace (https://id.example.com)');
    expect(after).not.toContain('<form');
    await close();
  });

  it('does the same by the API', async () => {
    const { id, send, close, guarded } = await stage();
    const list = await (await send('/approvals', 'grace', asJson)).json();
    expect(list).toMatchObject({ approvals: [{ id, arguments: { env: '<b>\u202etest' }, state: 'waiting' }] });
    const post = (body: string, headers = {}) =>
      send(`/approvals/${id.toLowerCase()}`, 'grace', {
        method: 'POST',
        headers: { 'content-type': 'application/json', ...headers },
        body,
      });
    expect(await (await post('{"decision":"maybe"}')).json()).toMatchObject({ error: { code: 'invalid-argument' } });
    expect((await post('not json')).status).toBe(400);
    expect((await post(JSON.stringify({ decision: 'deny', reason: 'x'.repeat(501) }))).status).toBe(400);
    expect((await post(JSON.stringify({ decision: 'deny', reason: 'x'.repeat(9000) }))).status).toBe(413);
    const denied = await post('{"decision":"deny","reason":"No"}');
    expect([denied.status, await denied.json()]).toMatchObject([
      200,
      { approval: { state: 'denied', decision: { reason: 'No' } } },
    ]);
    const again = await post('{"decision":"approve"}');
    expect([again.status, await again.json()]).toMatchObject([409, { error: { code: 'approval-decided' } }]);
    expect((await guarded.approvals.get(id, grace)).state).toBe('denied');
    await close();
  });
});

describe('nothing is decided', () => {
  it.each([
    ['without a sign-in', undefined, 401, 401, 'Sign in first.'],
    ['by a user without the role', 'eve', 404, 404, 'There is no approval'],
    ['by the caller itself', 'ada', 403, 200, 'Another person decides about this call.'],
  ] as const)('%s, though the link is known', async (_name, as, status, readStatus, shown) => {
    const { id, send, form, close, guarded } = await stage();
    const posted = await send(`/approvals/${id}`, as, form('approve', fromPage));
    expect(posted.status).toBe(status);
    expect(await posted.text()).not.toContain('test');
    const read = await send(`/approvals/${id}`, as);
    expect(read.status).toBe(readStatus);
    const text = await read.text();
    expect(text).toContain(shown);
    expect(text).not.toContain('<form');
    expect((await guarded.approvals.get(id, grace)).state).toBe('waiting');
    await close();
  });

  it.each([
    ['a form of another site', { 'sec-fetch-site': 'cross-site', origin: 'https://evil.example.com' }],
    ['a form of another host of the same site', { 'sec-fetch-site': 'same-site', origin: 'https://x.example.com' }],
    ['a form of another site in an old browser', { origin: 'https://evil.example.com' }],
    ['a form of a page without an origin', { origin: 'null' }],
    ['a form that says nothing of where it is from', {}],
  ])('by %s', async (_name, headers) => {
    const { id, send, form, close, guarded } = await stage();
    expect((await send(`/approvals/${id}`, 'grace', form('approve', headers as Record<string, string>))).status).toBe(
      403,
    );
    expect((await guarded.approvals.get(id, grace)).state).toBe('waiting');
    await close();
  });

  it('by JSON of another site, a GET, or another method', async () => {
    const { id, send, close, guarded } = await stage();
    const crossSite = await send(`/approvals/${id}`, 'grace', {
      method: 'POST',
      headers: { 'content-type': 'application/json', origin: 'https://evil.example.com' },
      body: '{"decision":"approve"}',
    });
    expect(crossSite.status).toBe(403);
    expect((await send(`/approvals/${id}?decision=approve`, 'grace')).status).toBe(200);
    expect((await send(`/approvals/${id}`, 'grace', { method: 'PUT' })).status).toBe(405);
    expect((await send('/approvals', 'grace', { method: 'POST', headers: fromPage })).status).toBe(405);
    for (const path of ['/approvals/', '/approvals/x', '/other', '/approvalsx', `/approvals/${id}/x`])
      expect([path, (await send(path, 'grace')).status]).toEqual([path, 404]);
    expect((await guarded.approvals.get(id, grace)).state).toBe('waiting');
    await close();
  });
});

it('nothing of it is stored by browsers, framed, or sent elsewhere', async () => {
  const { id, send, close } = await stage();
  for (const response of [await send(`/approvals/${id}`, 'grace'), await send('/approvals', undefined)]) {
    expect(response.headers.get('cache-control')).toBe('no-store');
    expect(response.headers.get('content-security-policy')).toMatch(
      /default-src 'none'.*frame-ancestors 'none'.*form-action 'self'/,
    );
  }
  await close();
});

it('a user who is not signed in can be sent to a sign-in', async () => {
  const { guarded } = approving();
  const handler = toApprovalHandler(guarded.approvals, {
    authenticate: () => Response.redirect('https://id.example.com/', 302),
  });
  expect((await handler(new Request(`${origin}/approvals`))).headers.get('location')).toBe('https://id.example.com/');
});

describe('on node:http', () => {
  async function listening(authenticate: () => Approver | Response) {
    const { guarded, server } = approving();
    const decide = toApprovalListener(guarded.approvals, { authenticate });
    const service = await serveHttp(server, {
      port: 0,
      notFound: (request, response) => void (decide(request, response) || response.writeHead(404).end()),
    });
    onTestFinished(() => service.close());
    return fetch(new URL('/approvals', service.url), { redirect: 'manual' });
  }

  it('all cookies of a response that leads to a sign-in reach the browser', async () => {
    const headers = new Headers({ location: 'https://id.example.com/' });
    for (const cookie of ['state=a', 'nonce=b']) headers.append('set-cookie', cookie);
    const response = await listening(() => new Response(undefined, { status: 302, headers }));
    expect([response.status, response.headers.getSetCookie()]).toEqual([302, ['state=a', 'nonce=b']]);
  });

  it('a failure of authenticate is 500, and says nothing of it', async () => {
    const response = await listening(() => {
      throw new Error('the sessions are gone');
    });
    expect([response.status, await response.text()]).toEqual([
      500,
      'Approvals cannot be shown now. Try again later.\n',
    ]);
  });
});

it.each([
  [undefined, /authenticate is missing|authenticate/],
  [{ authenticate: 'x' }, /authenticate/],
  [{ authenticate: () => 'a', path: 'approvals' }, /path/],
  [{ authenticate: () => 'a', path: '/approvals/' }, /path/],
])('%j is refused', (options, message) => {
  const { guarded } = approving();
  expect(() => toApprovalHandler(guarded.approvals, options as never)).toThrow(
    expect.objectContaining({ code: 'invalid-argument', message: expect.stringMatching(message) }),
  );
});
