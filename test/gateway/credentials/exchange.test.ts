/** Tokens for an upstream are those that the issuer of a caller gives for the caller's own, which reaches no other server. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { inspect } from 'node:util';
import type { ConnectOptions } from 'tenon';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { InboundTokens, inboundTokensIn, withInboundTokens } from '../../../src/auth/resource/inbound-tokens.ts';
import type { ClientAuth } from '../../../src/client/http/port/client-auth.ts';
import { Exchanges } from '../../../src/gateway/credentials/exchanges.ts';
import { createPrincipal } from '../../../src/ports/principal.ts';
import { clientOf, textOf } from '../command/serving.ts';
import { configOf } from '../config/file.ts';
import { exchangedSeconds, exchangingIssuer, startExchange } from './exchanging.ts';

const pass = (seconds: number): void => {
  vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + seconds * 1000 });
};

afterEach(() => void vi.useRealTimers());

const messageOf = (promise: Promise<unknown>): Promise<string> =>
  promise.then(
    () => expect.unreachable('It should have failed.'),
    (error: Error) => error.message,
  );

describe('The token of a caller', () => {
  it('is exchanged at its issuer for one of the upstream, which never sees it: two users have two tokens', async () => {
    const { callerOf, requests, upstream, inbound } = await startExchange();
    const [ada, grace] = [await callerOf('ada'), await callerOf('grace')];
    expect(textOf(await ada.tools.call('orders__whoami', {}))).toBe('ada with editor by gateway');
    expect(textOf(await grace.tools.call('orders__whoami', {}))).toBe('grace with editor by gateway');
    expect(textOf(await ada.tools.call('orders__whoami', {}))).toBe('ada with editor by gateway');
    expect(requests.map(({ form }) => [form.subject_token, form.resource, form.grant_type])).toEqual(
      inbound.map((token) => [token, upstream.url, 'urn:ietf:params:oauth:grant-type:token-exchange']),
    );
    expect(new Set(requests.map(({ authorization }) => authorization))).toEqual(
      new Set([`Basic ${btoa('gateway:planted-client')}`]),
    );
    const received = upstream.received.join('\n');
    for (const { issued } of requests) expect(received).toContain(issued);
    for (const token of [...inbound, 'planted-client', 'planted-refresh']) expect(received).not.toContain(token);
  });

  it('is exchanged for each client of a user', async () => {
    const { callerOf, requests } = await startExchange();
    const [editor, other] = [await callerOf('ada', 'editor'), await callerOf('ada', 'other')];
    expect(textOf(await editor.tools.call('orders__whoami', {}))).toBe('ada with editor by gateway');
    expect(textOf(await other.tools.call('orders__whoami', {}))).toBe('ada with other by gateway');
    expect(textOf(await editor.tools.call('orders__whoami', {}))).toBe('ada with editor by gateway');
    expect(requests).toHaveLength(2);
  });

  it('is exchanged for each set of its scopes: one with fewer does not act with those of another [S24, S36]', async () => {
    const { issuer, requests, inbound, tokenOf, withToken } = await startExchange();
    const claims = { sub: 'ada', client_id: 'editor' };
    const wide = await withToken(await tokenOf(issuer, { ...claims, scope: 'read write' }));
    const narrow = await withToken(await tokenOf(issuer, { ...claims, scope: 'read' }));
    for (const caller of [wide, narrow, wide]) await caller.tools.call('orders__whoami', {});
    expect(requests.map(({ form }) => form.subject_token)).toEqual(inbound);
  });

  it('is exchanged again when the token of the upstream expires: the newest of the user and client', async () => {
    const { callerOf, requests, inbound } = await startExchange();
    const first = await callerOf('ada');
    expect(textOf(await first.tools.call('orders__whoami', {}))).toBe('ada with editor by gateway');
    const second = await callerOf('ada');
    expect(textOf(await second.tools.call('orders__whoami', {}))).toBe('ada with editor by gateway');
    expect(requests).toHaveLength(1);
    pass(exchangedSeconds + 1);
    expect(textOf(await second.tools.call('orders__whoami', {}))).toBe('ada with editor by gateway');
    expect(textOf(await second.tools.call('orders__whoami', {}))).toBe('ada with editor by gateway');
    expect(requests.map(({ form }) => form.subject_token)).toEqual(inbound);
  });

  it('is exchanged for an audience and scopes that the file names', async () => {
    const { callerOf, requests } = await startExchange({ auth: ', audience: orders-api, scopes: [orders]' });
    expect(textOf(await (await callerOf('ada')).tools.call('orders__whoami', {}))).toBe('ada with editor by gateway');
    expect(requests.map(({ form: { audience, scope, resource } }) => ({ audience, scope, resource }))).toEqual([
      { audience: 'orders-api', scope: 'orders', resource: undefined },
    ]);
  });

  it('is in no file, warning or answer of the gateway, and neither is the one of the upstream', async () => {
    const { callerOf, inbound, requests, gateway, answers } = await startExchange({
      more: 'store: sqlite:./gateway.db\nsecrets: [seal]\naudit: ./audit',
    });
    const messages: string[] = [];
    const tap: ConnectOptions['tap'] = (event) => {
      if (event.kind === 'message' && event.from === 'server') messages.push(event.text);
    };
    const ada = await callerOf('ada', 'editor', { tap });
    await ada.tools.call('orders__whoami', {});
    answers.push((token) => ({ status: 400, body: { error: 'invalid_grant', error_description: `bad ${token}` } }));
    const grace = await callerOf('grace', 'editor', { tap });
    await expect(grace.tools.call('orders__whoami', {})).rejects.toBeDefined();
    await gateway.close();
    const { path } = gateway.folder;
    const files = readdirSync(path, { recursive: true, withFileTypes: true }).filter((one) => one.isFile());
    const all = [
      ...files.map((one) => readFileSync(join(one.parentPath, one.name), 'latin1')),
      ...messages,
      ...gateway.warnings,
    ].join('\n');
    expect(files.some(({ parentPath }) => parentPath.endsWith('audit'))).toBe(true);
    expect(gateway.warnings.join()).toContain('invalid_grant');
    const issued = requests.flatMap((one) => one.issued ?? []);
    expect([inbound.length, issued.length, messages.length > 3]).toEqual([2, 1, true]);
    expect([...inbound, ...issued].filter((token) => all.includes(token))).toEqual([]);
  });

  it('belongs to its principal, which shows nothing of it', () => {
    const tokens = new InboundTokens();
    const ada = createPrincipal({ issuer: 'https://id.example', subject: 'ada' });
    tokens.add(ada, 'planted-token');
    expect(inboundTokensIn(withInboundTokens(tokens))?.of(ada)).toBe('planted-token');
    expect(tokens.of(createPrincipal({ issuer: 'https://id.example', subject: 'ada' }))).toBeUndefined();
    for (const shown of [ada, tokens, withInboundTokens(tokens)])
      expect(inspect(shown, { depth: 9, showHidden: true }) + JSON.stringify(shown)).not.toContain('planted-token');
  });
});

describe('Nothing is exchanged', () => {
  it('for a caller with an API key, and for one of another issuer: both are refused by name', async () => {
    const other = await exchangingIssuer();
    const { issuer, program, url, upstream, requests, tokenOf, withToken } = await startExchange({
      others: [other.issuer.issuer],
    });
    const expected = `The upstream "orders" needs a caller with an access token of ${issuer.issuer}, and this one has none.`;
    const byKey = await clientOf({ url, headers: { 'x-api-key': program.key } });
    expect(await messageOf(byKey.tools.call('orders__whoami', {}))).toBe(expected);
    const stranger = await withToken(await tokenOf(other.issuer, { sub: 'ada', client_id: 'editor' }));
    expect(await messageOf(stranger.tools.call('orders__whoami', {}))).toBe(expected);
    expect([requests, other.requests, upstream.received]).toEqual([[], [], []]);
  });

  it('at the authorization server that an upstream names, if it is not that of the caller', async () => {
    const other = await exchangingIssuer();
    const { callerOf, requests, issuer } = await startExchange({ upstreamIssuer: other.issuer.issuer });
    expect(await messageOf((await callerOf('ada')).tools.call('orders__whoami', {}))).toBe(
      `${issuer.issuer} gave no token for the upstream "orders".`,
    );
    expect([requests, other.requests]).toEqual([[], []]);
  });

  it('a second time when the issuer refuses, until the caller has another token', async () => {
    const { callerOf, requests, answers, gateway, issuer } = await startExchange();
    answers.push(() => ({ status: 400, body: { error: 'invalid_target', error_description: 'for the operator' } }));
    const ada = await callerOf('ada');
    const expected = `${issuer.issuer} gave no token for the upstream "orders" (invalid_target).`;
    for (let n = 0; n < 3; n++) expect(await messageOf(ada.tools.call('orders__whoami', {}))).toBe(expected);
    expect(requests).toHaveLength(1);
    expect(gateway.warnings.join()).toContain('for the operator');
    const again = await callerOf('ada');
    expect(await messageOf(again.tools.call('orders__whoami', {}))).toBe(expected);
    expect(requests).toHaveLength(2);
    answers.length = 0;
    pass(11);
    expect(textOf(await ada.tools.call('orders__whoami', {}))).toBe('ada with editor by gateway');
  });

  it('a second time when the issuer fails, also for a token that has expired meanwhile', async () => {
    const { callerOf, requests, issuer } = await startExchange();
    const ada = await callerOf('ada');
    await ada.tools.call('orders__whoami', {});
    // The upstream accepts it a little longer.
    pass(exchangedSeconds + 31);
    issuer.token = () => {
      requests.push({ form: {}, authorization: undefined, issued: undefined });
      return { status: 500, body: {} };
    };
    for (let n = 0; n < 3; n++)
      expect(await messageOf(ada.tools.call('orders__whoami', {}))).toBe(
        `${issuer.issuer} gave no token for the upstream "orders".`,
      );
    expect(requests).toHaveLength(2);
  });

  it('if the issuer answers with a token of another kind', async () => {
    const { callerOf, answers, issuer } = await startExchange();
    const body = { access_token: 'x', token_type: 'Bearer', issued_token_type: 'urn:example:other' };
    answers.push(() => ({ body }));
    expect(await messageOf((await callerOf('ada')).tools.call('orders__whoami', {}))).toBe(
      `${issuer.issuer} gave no token for the upstream "orders".`,
    );
  });

  it('again and again for an upstream that refuses what it gets', async () => {
    const { callerOf, requests, answers, issuer } = await startExchange();
    const body = { access_token: 'x', token_type: 'Bearer', expires_in: 60 };
    answers.push(() => ({ body }));
    const ada = await callerOf('ada');
    const expected = `The upstream "orders" does not accept the token that ${issuer.issuer} gave for it.`;
    for (let n = 0; n < 9; n++) expect(await messageOf(ada.tools.call('orders__whoami', {}))).toBe(expected);
    expect(requests.length).toBeLessThanOrEqual(4);
  });
});

describe('Exchanged tokens of a principal', () => {
  it('are forgotten when it is revoked, and those of others are not', async () => {
    const { issuer, requests } = await exchangingIssuer();
    const tokens = new InboundTokens();
    const exchanges = new Exchanges(tokens);
    const auth = exchanges.authFor({
      name: 'orders',
      url: `${issuer.issuer}/mcp`,
      issuer: issuer.issuer,
      clientId: 'gateway',
      clientSecret: 'secret',
      audience: undefined,
      scopes: undefined,
      fetch: (url, init) =>
        url.includes('oauth-protected-resource')
          ? Promise.resolve(Response.json({ resource: `${issuer.issuer}/mcp`, authorization_servers: [issuer.issuer] }))
          : fetch(url, init),
    });
    const principalOf = async (subject: string) => {
      const principal = createPrincipal({ issuer: issuer.issuer, subject, client: 'editor' });
      tokens.add(principal, await issuer.sign({ sub: subject }));
      return principal;
    };
    const [ada, grace] = [await principalOf('ada'), await principalOf('grace')];
    const open = async (principal: typeof ada) =>
      (await (auth as Exclude<typeof auth, ClientAuth>)({ upstream: 'orders', principal })).forServer(
        `${issuer.issuer}/mcp`,
      );
    const headersOf = async (principal: typeof ada) =>
      (await open(principal)).headers({ method: 'POST', url: `${issuer.issuer}/mcp` });
    for (const principal of [ada, grace]) {
      const refusal = { method: 'POST', url: `${issuer.issuer}/mcp`, status: 401, challenges: [], done: [] } as const;
      const more = { header: () => undefined, operation: 'connect', sent: undefined };
      await (await open(principal)).refused({ ...refusal, ...more, done: [] }, new AbortController().signal);
    }
    expect(await headersOf(ada)).toEqual({ authorization: `Bearer ${requests[0]?.issued}` });
    await exchanges.revoke(ada.key);
    expect(await headersOf(ada)).toBeUndefined();
    expect(await headersOf(grace)).toEqual({ authorization: `Bearer ${requests[1]?.issued}` });
  });
});

describe('The file', () => {
  const file = (auth: string, protect = `{ issuer: 'https://id.example' }`, more = '') =>
    configOf(
      `publicUrl: https://mcp.example/mcp
protect: ${protect}
secretsFile: s.yaml
upstreams:
  a: { url: 'https://a.example/mcp', ${more}auth: { type: token-exchange${auth} } }
`,
      {},
      { 's.yaml': 'key: planted' },
    );
  const complete = ', clientId: gateway, secret: key';

  it('needs the client of the gateway at the issuer, and the issuer if there are several', async () => {
    await expect(file(complete)).resolves.toBeDefined();
    await expect(file('')).rejects.toThrow('upstreams.a.auth.clientId is missing.');
    await expect(file(', clientId: gateway')).rejects.toThrow('upstreams.a.auth.secret is missing.');
    await expect(file(complete, `{ issuers: ['https://a.example', 'https://b.example'] }`)).rejects.toThrow(
      'gateway.yaml:5: upstreams.a.auth needs issuer. Write one of https://a.example, https://b.example.',
    );
    await expect(file(`${complete}, issuer: 'https://other.example'`)).rejects.toThrow(
      'upstreams.a.auth has an issuer that protect does not have. Write one of https://id.example.',
    );
    await expect(file(complete, '{ apiKeys: [{ id: a, hash: b, subject: c }] }')).rejects.toThrow(
      'upstreams.a.auth needs protect.issuer.',
    );
    await expect(file(complete, undefined, 'share: all, ')).rejects.toThrow(
      'upstreams.a.auth of the type token-exchange needs a connection for each user.',
    );
  });
});
