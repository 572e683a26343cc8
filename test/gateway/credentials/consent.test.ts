/** An account of a user is used for the clients that the user has allowed, each by itself. */
import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { Secrets } from '../../../src/auth-server/secrets.ts';
import { ClientConsents } from '../../../src/gateway/credentials/client-consents.ts';
import { ConnectTickets } from '../../../src/gateway/credentials/connect-tickets.ts';
import { createPrincipal } from '../../../src/ports/principal.ts';
import { memoryCredentials } from '../../../src/store/parts/memory-credentials.ts';
import { textOf } from '../command/serving.ts';
import { Browser, formIn, locationOf } from './browser.ts';
import { linkOf, started } from './connecting.ts';

describe('A second client of a user', () => {
  it('gets the page though the first was allowed, and nothing reaches the third party before [s-security-20, s-security-21, s-security-22]', async () => {
    const { connected, callerOf, third, origin } = await started();
    const editor = await callerOf('ada');
    const browser = await connected('ada', await linkOf(editor));
    expect(textOf(await editor.tools.call('third__whoami', {}))).toBe('ada');
    const before = [third.received.length, third.events.length];
    const other = await callerOf('ada', {}, 'other');
    const link = await linkOf(other);
    await expect(other.tools.list().all()).rejects.toMatchObject({ data: { connectUrl: expect.any(String) } });
    const question = await browser.get(link);
    expect(question.text).toContain('Share your account at third?');
    expect(question.text).toContain('<code>other</code>');
    expect([third.received.length, third.events.length]).toEqual(before);
    const refused = await browser.post(`${origin}/connect/to/third`, { ...formIn(question), answer: 'cancel' });
    expect(locationOf(refused)).toBe(`${origin}/connect`);
    await linkOf(other);
    expect([third.received.length, third.events.length]).toEqual(before);
    const allowed = await browser.post(`${origin}/connect/to/third`, { ...formIn(question), answer: 'connect' });
    expect(locationOf(allowed)).toBe(`${origin}/connect`);
    expect(textOf(await other.tools.call('third__whoami', {}))).toBe('ada');
    expect(textOf(await editor.tools.call('third__whoami', {}))).toBe('ada');
    // The user has signed in there once.
    expect(third.events.filter(({ type }) => type === 'authorized')).toHaveLength(1);
  });

  it('is not allowed by a sign-in on the page, which no client has asked for', async () => {
    const { signedIn, leave, callerOf, third } = await started();
    const { browser } = await signedIn('ada');
    await browser.get(await leave(browser, 'ada'));
    const before = third.received.length;
    await linkOf(await callerOf('ada'));
    expect(third.received.length).toBe(before);
  });

  it('loses the account alone when the user removes it, and with the others when they disconnect', async () => {
    const { connected, callerOf, origin, third } = await started();
    const [editor, other] = [await callerOf('ada'), await callerOf('ada', {}, 'other')];
    const browser = await connected('ada', await linkOf(editor));
    const page = `${origin}/connect/to/third`;
    await browser.post(page, { ...formIn(await browser.get(await linkOf(other))), answer: 'connect' });
    expect(textOf(await other.tools.call('third__whoami', {}))).toBe('ada');
    const opened = third.events.length;
    await browser.post(page, { ...formIn(await browser.get(page)), withdraw: 'other' });
    const before = third.received.length;
    await expect(other.tools.list({ cache: 'reload' }).all()).rejects.toMatchObject({ data: {} });
    await linkOf(other);
    expect([third.received.length, third.events.length]).toEqual([before, opened]);
    expect(textOf(await editor.tools.call('third__whoami', {}))).toBe('ada');
    await browser.post(page, { ...formIn(await browser.get(page)), answer: 'disconnect' });
    await linkOf(editor);
    expect((await browser.get(`${origin}/connect`)).text).not.toContain('Allowed:');
  });
});

describe('The link of an error', () => {
  it('is for its user, and the answer for its client: others get 403 [s-security-28]', async () => {
    const { signedIn, callerOf, origin, third, gateway } = await started();
    const links = [await linkOf(await callerOf('ada')), await linkOf(await callerOf('ada', {}, 'other'))];
    const { browser } = await signedIn('grace');
    const foreign = await browser.get(links[0] ?? '');
    expect([foreign.status, foreign.text]).toEqual([403, expect.stringContaining('This link is for another user.')]);
    expect(gateway.warnings.join()).toContain('This link is for another user.');
    const { browser: own } = await signedIn('ada');
    const [editor, other] = [formIn(await own.get(links[0] ?? '')), formIn(await own.get(links[1] ?? ''))];
    const page = `${origin}/connect/to/third`;
    const mixed = await own.post(page, { ...editor, ticket: other.ticket ?? '', answer: 'connect' });
    const without = await own.post(page, { csrf: editor.csrf ?? '', answer: 'connect' });
    expect([mixed.status, without.status]).toEqual([403, 403]);
    expect(third.events).toEqual([]);
  });

  it('counts as it was made, for its upstream, and for an hour [s-auth-226@2025-03-26]', async () => {
    const { signedIn, callerOf } = await started();
    const link = await linkOf(await callerOf('ada'));
    const { browser } = await signedIn('ada');
    expect((await browser.get(`${link.slice(0, -2)}AA`)).status).toBe(400);
    expect((await browser.get(`${link}&ticket=x`)).status).toBe(400);
    expect((await new Browser().get(`${link.slice(0, -2)}AA`)).status).toBe(303);
    let now = 0;
    const tickets = new ConnectTickets(new Secrets(['a secret of a test']), () => now);
    const request = { upstream: 'third', subject: 'ada', client: 'editor' };
    const ticket = tickets.create(request);
    expect(tickets.read(ticket)).toMatchObject(request);
    expect(tickets.read('x'.repeat(5000))).toBeUndefined();
    now = 60 * 60_000 + 1;
    expect(tickets.read(ticket)).toBeUndefined();
  });
});

describe('Answers of users', () => {
  const target = { name: 'third', url: 'https://third.example/mcp', scopes: ['read'] };
  const principalOf = (subject: string, client = '') =>
    createPrincipal({ issuer: 'https://id.example', subject, ...(client !== '' && { client }) });

  it('hold for one user, upstream and client: no other combination is ever allowed [s-security-21]', async () => {
    const names = fc.constantFrom('a', 'b', '["a"]', '');
    const answer = fc.record({ user: names, upstream: names, client: names, isAllowed: fc.boolean() });
    await fc.assert(
      fc.asyncProperty(fc.array(answer, { maxLength: 20 }), async (answers) => {
        const consents = new ClientConsents(memoryCredentials());
        const expected = new Map<string, boolean>();
        for (const { user, upstream, client, isAllowed } of answers) {
          const of = { ...target, name: upstream };
          await (isAllowed
            ? consents.allow(of, principalOf(user, client))
            : consents.withdraw(of, principalOf(user, client)));
          expected.set(JSON.stringify([user, upstream, client]), isAllowed);
        }
        for (const user of ['a', 'b', '["a"]', ''])
          for (const upstream of ['a', 'b', '["a"]', ''])
            for (const client of ['a', 'b', '["a"]', ''])
              expect(await consents.has({ ...target, name: upstream }, principalOf(user, client))).toBe(
                expected.get(JSON.stringify([user, upstream, client])) ?? false,
              );
      }),
      { numRuns: 30 },
    );
  });

  it('do not hold for another server of that name, or for other scopes', async () => {
    const consents = new ClientConsents(memoryCredentials());
    const ada = principalOf('ada', 'editor');
    await consents.allow(target, ada);
    expect(await consents.has(target, ada)).toBe(true);
    expect(await consents.has({ ...target, url: 'https://other.example/mcp' }, ada)).toBe(false);
    expect(await consents.has({ ...target, scopes: ['read', 'write'] }, ada)).toBe(false);
  });

  it('are 100 for a user and upstream: the oldest is asked for again', async () => {
    const consents = new ClientConsents(memoryCredentials());
    for (let n = 0; n <= 100; n++) await consents.allow(target, principalOf('ada', `client-${n}`));
    expect(await consents.list(target, principalOf('ada'))).toHaveLength(100);
    expect(await consents.has(target, principalOf('ada', 'client-0'))).toBe(false);
    expect(await consents.has(target, principalOf('ada', 'client-100'))).toBe(true);
  });

  it('that others change again and again are not stored, with an error', async () => {
    const store = memoryCredentials();
    const consents = new ClientConsents({ ...store, swap: async () => false });
    await expect(consents.allow(target, principalOf('ada', 'editor'))).rejects.toMatchObject({ code: 'store-failed' });
  });
});
