/** A guarded server over HTTP: hidden features look as if they did not exist, refusals have their status, addresses count. */
import { type Authenticate, connect, serveHttp, tool } from 'tenon';
import { protocolVersions } from 'tenon/protocol';
import { describe, expect, it, onTestFinished } from 'vitest';
import {
  call,
  lone,
  loneCall,
  request,
  resumableRevisions,
  sessionRevisions,
  startSession,
} from '../../kit/http/messages.ts';
import { type Answer, type Headers, type Sent, send } from '../../kit/http/raw-http.ts';
import { createGuarded, createWithout, type Guarded, rules } from './kit.ts';

/** A request names its user and scopes in a header; without it, it is anonymous; with `x-bad` it is refused. */
const authenticate: Authenticate = ({ header }) => {
  if (header('x-bad') !== undefined) return undefined;
  const scopes = header('x-scopes');
  return scopes === undefined ? { anonymous: true } : { issuer: 'i', subject: 'ada', scopes: scopes.split(' ') };
};

async function serve(guarded: Guarded, options: object = {}): Promise<string> {
  const service = await serveHttp(guarded.server, { port: 0, authenticate, ...options });
  onTestFinished(() => service.close());
  return service.url;
}

/** All of a response that does not differ between two requests. */
const seen = ({ status, headers, text }: Answer) => {
  const { date: _date, 'x-request-id': _id, 'mcp-session-id': _session, ...rest } = headers;
  return { status, headers: rest, text };
};

const withHeaders = (sent: Sent, headers: Headers): Sent => ({ ...sent, headers: { ...sent.headers, ...headers } });

const lonely: readonly (readonly [string, Sent])[] = [
  ['a call', loneCall('hidden_drop', { region: 'eu' })],
  ['a call with a wrong header', withHeaders(loneCall('hidden_drop', { region: 'eu' }), { 'mcp-param-region': 'us' })],
  ['a call with wrong arguments', loneCall('hidden_drop', { region: 5 })],
  ['a call of a user without its scope', withHeaders(loneCall('hidden_drop', {}), { 'x-scopes': 'a' })],
  ['a call of a user with its scope', withHeaders(loneCall('hidden_drop', {}), { 'x-scopes': 'drop' })],
  ['a call for events only', withHeaders(loneCall('hidden_drop', {}), { accept: 'text/event-stream' })],
  ['a call with a request state', loneStateful()],
  ['a read', lone('resources/read', { uri: 'hidden://one' })],
  ['a read through a template', lone('resources/read', { uri: 'hidden://7' })],
  ['a prompt', lone('prompts/get', { name: 'hidden_plan' })],
  [
    'a completion',
    lone('completion/complete', {
      ref: { type: 'ref/resource', uri: 'hidden://{id}' },
      argument: { name: 'id', value: '' },
    }),
  ],
  ['a list of tools', lone('tools/list')],
  ['a list of templates', lone('resources/templates/list')],
];

function loneStateful(): Sent {
  const { headers, body } = loneCall('hidden_drop', { region: 'eu' });
  return { headers, body: { ...body, params: { ...body.params, requestState: 'abc', inputResponses: {} } } };
}

describe('without a session', () => {
  it.each(lonely)('%s of something hidden gets the response of a server without it [S23]', async (_what, sent) => {
    const hiding = createGuarded();
    const answer = await send(await serve(hiding), sent);
    expect(seen(answer)).toEqual(seen(await send(await serve(createWithout()), sent)));
    expect(hiding.ran).toEqual([]);
  });

  it('a refused call gets 403 with the id of the decision, and 503 if it cannot be recorded [S23, S24]', async () => {
    const guarded = createGuarded();
    const url = await serve(guarded);
    const refused = await send(url, loneCall('asked_mail'));
    expect(refused.status).toBe(403);
    expect(refused.json).toMatchObject({ error: { code: -31403, data: { decisionId: expect.any(String) } } });
    expect(refused.headers['www-authenticate']).toBeUndefined();
    guarded.audit.failing = 'begin';
    const unrecorded = await send(url, loneCall('open_echo'));
    expect(unrecorded).toMatchObject({ status: 503, headers: { 'retry-after': '1' } });
    expect(unrecorded.json).toMatchObject({ error: { code: -31513 } });
    guarded.audit.failing = 'append';
    const ran = await send(url, loneCall('open_echo'));
    expect(ran.status).toBe(503);
    expect(ran.headers['retry-after']).toBeUndefined();
    expect(guarded.ran).toEqual(['open_echo']);
  });

  it('the end of a call is recorded before its event leaves a stream [S24]', async () => {
    const guarded = createGuarded();
    const url = await serve(guarded);
    const answer = await send(url, withHeaders(loneCall('open_echo'), { accept: 'text/event-stream' }));
    expect(answer.text).toContain('open_echo');
    expect(guarded.audit.kinds()).toEqual(['call-start', 'call-end']);
    guarded.audit.failing = 'append';
    const unrecorded = await send(url, withHeaders(loneCall('open_echo'), { accept: 'text/event-stream' }));
    expect(unrecorded.text).not.toContain('"text"');
    expect(unrecorded.text).toContain('-31513');
  });
});

describe.each(sessionRevisions)('in a session at %s', (revision) => {
  const bodies = [
    call('hidden_drop', { region: 5 }),
    request('resources/read', { uri: 'hidden://one' }),
    request('prompts/get', { name: 'hidden_plan' }),
    request('tools/list'),
    request('resources/subscribe', { uri: 'hidden://one' }),
    call('nothing'),
  ];

  it('what is hidden gets the responses of a server without it [S23]', async () => {
    const here = await startSession(await serve(createGuarded()), revision);
    const there = await startSession(await serve(createWithout()), revision);
    for (const body of bodies) expect(seen(await here.post(body))).toEqual(seen(await there.post(body)));
  });

  it('a refused call gets 403, an unrecorded one 503 [S23, S24]', async () => {
    const guarded = createGuarded();
    const session = await startSession(await serve(guarded), revision);
    const refused = await session.post(call('asked_mail'));
    expect(refused.status).toBe(403);
    expect(refused.json).toMatchObject({ error: { code: -31403 } });
    guarded.audit.failing = 'begin';
    expect((await session.post(call('open_echo'))).status).toBe(503);
  });

  it('the scopes of each request decide, not those of initialize [S23]', async () => {
    const text = `${rules}  - { id: drop, allow: [list, call], to: { scope: drop }, on: { tool: hidden_drop } }\n`;
    const session = await startSession(await serve(createGuarded(text)), revision, { headers: { 'x-scopes': 'a' } });
    const names = async (scopes: string) => (await session.post(request('tools/list'), { 'x-scopes': scopes })).text;
    expect(await names('a')).not.toContain('hidden_drop');
    expect(await names('drop')).toContain('hidden_drop');
    expect(await names('a')).not.toContain('hidden_drop');
  });
});

describe('a client', () => {
  it.each(protocolVersions)('gets refusals as errors by their names, under %s [S23, S24]', async (revision) => {
    const guarded = createGuarded();
    const client = await connect(await serve(guarded), { protocolVersions: [revision], reconnect: false });
    const refusal = async (name: string) => client.tools.call(name).catch((error: unknown) => error);
    expect(await refusal('asked_mail')).toMatchObject({
      reason: 'permission-denied',
      data: { decisionId: expect.any(String) },
    });
    guarded.audit.failing = 'append';
    expect(await refusal('open_echo')).toMatchObject({
      code: 'outcome-unknown',
      cause: { reason: 'audit-unavailable' },
    });
    await client.close();
  });
});

describe('a batch', () => {
  it('with something hidden gets the response of a server without it, its scopes included [S23]', async () => {
    const batch = [
      call('open_echo', {}, 1),
      call('hidden_drop', {}, 2),
      request('resources/read', { uri: 'hidden://1' }, 3),
    ];
    const text = async (guarded: Guarded) => {
      const session = await startSession(await serve(guarded), '2025-03-26', { headers: { 'x-scopes': 'a' } });
      return seen(await session.post(batch));
    };
    expect(await text(createGuarded())).toEqual(await text(createWithout()));
    const alone = async (guarded: Guarded) =>
      seen(
        await send(await serve(guarded, { sessions: false }), {
          body: batch,
          headers: { 'mcp-protocol-version': '2025-03-26', 'x-scopes': 'a' },
        }),
      );
    expect(await alone(createGuarded())).toEqual(await alone(createWithout()));
  });
});

it('a batch that lacks scopes is counted [S24]', async () => {
  const guarded = createGuarded(`${rules}  - { id: all, allow: [list, call], to: any, on: any }\n`);
  const session = await startSession(await serve(guarded), '2025-03-26', { headers: { 'x-scopes': 'a' } });
  expect((await session.post([call('hidden_drop', {}, 1), call('open_echo', {}, 2)])).status).toBe(403);
  expect(guarded.audit.refusals).toEqual([[expect.any(String), 'insufficient-scope']]);
  expect(guarded.ran).toEqual([]);
});

describe('the address of a client', () => {
  const text = `
version: 1
rules:
  - { id: near, allow: [list, call], to: { network: 10.0.0.0/8 }, on: { tool: open_echo } }
`;

  it('is that of the connection, or the one that a trusted proxy forwarded [S23]', async () => {
    const direct = await serve(createGuarded(text));
    const forwarded = (address: string) => withHeaders(loneCall('open_echo'), { 'x-forwarded-for': address });
    expect((await send(direct, forwarded('10.1.2.3'))).text).toContain('Unknown tool');
    const guarded = createGuarded(text);
    const behind = await serve(guarded, { trustedProxies: ['127.0.0.1', '::1'] });
    expect((await send(behind, forwarded('10.1.2.3'))).text).toContain('open_echo');
    expect((await send(behind, forwarded('11.1.2.3'))).text).toContain('Unknown tool');
    expect(guarded.audit.events[0]).toMatchObject({ kind: 'call-start', who: { address: '10.1.2.3' } });
  });

  it('has the count of refused credentials [S24]', async () => {
    const guarded = createGuarded();
    const url = await serve(guarded);
    expect((await send(url, withHeaders(loneCall('open_echo'), { 'x-bad': '1' }))).status).toBe(401);
    expect(guarded.audit.refusals).toEqual([[expect.stringMatching(/127\.0\.0\.1|::1/), 'authentication-challenge']]);
  });
});

describe.each(resumableRevisions)('the stream of a session at %s', (revision) => {
  it('has changes of what its client may see, by the scopes of its last request [S23]', async () => {
    const text = `${rules}  - { id: drop, allow: [list, call], to: { scope: drop }, on: { tool: "hidden*" } }\n`;
    const guarded = createGuarded(text);
    const url = await serve(guarded);
    const session = await startSession(url, revision, { headers: { 'x-scopes': 'a' } });
    const stream = await session.listen();
    const update = (name: string) =>
      guarded.server.update(({ tools }) => {
        tools[name] = tool({}, () => name);
      });
    const changes = () =>
      stream.messages().filter(({ method }) => method === 'notifications/tools/list_changed').length;
    update('hidden_more');
    update('open_more');
    await stream.until(() => changes() >= 1, 'the change of a visible tool');
    expect(changes()).toBe(1);
    await session.post(request('ping'), { 'x-scopes': 'drop' });
    update('hidden_again');
    await stream.until(() => changes() >= 2, 'the change of a tool that is visible now');
    stream.cut();
  });
});
