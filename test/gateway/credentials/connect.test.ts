/** Each user connects an account of their own at an upstream, in a browser, and no other user's is used. */
import { describe, expect, it } from 'vitest';
import { textOf } from '../command/serving.ts';
import { Browser, csrfIn, locationOf } from './browser.ts';
import { linkOf, started } from './connecting.ts';

describe('The connect page', () => {
  it('connects an account of each of two users, and calls use that of their user [s-auth-220@2025-03-26]', async () => {
    const { connected, callerOf, origin } = await started();
    const [ada, grace] = [await callerOf('ada'), await callerOf('grace')];
    const link = await linkOf(ada);
    expect(link.startsWith(`${origin}/connect/to/third?ticket=`)).toBe(true);
    await expect(ada.tools.call('third__whoami', {})).rejects.toMatchObject({
      message: expect.stringContaining(`Connect your account for "third" first: open ${origin}/connect/to/third?`),
    });
    const browser = await connected('ada', link);
    expect((await browser.get(`${origin}/connect`)).text).toContain('Connected');
    expect(textOf(await ada.tools.call('third__whoami', {}))).toBe('ada');
    // Grace has no account there: that of ada is not hers.
    await expect(grace.tools.call('third__whoami', {})).rejects.toBeDefined();
    await connected('grace');
    expect(textOf(await grace.tools.call('third__whoami', {}))).toBe('grace');
    expect(textOf(await ada.tools.call('third__whoami', {}))).toBe('ada');
  });

  it('sends nothing to the upstream before the user has pressed the button, and has no cookie for it [s-security-31, s-security-34]', async () => {
    const { signedIn, third, origin } = await started();
    const { browser, page } = await signedIn('ada');
    expect(page.text).toContain('Not connected');
    const question = await browser.get(`${origin}/connect/to/third`);
    expect(question.text).toContain('Connect third?');
    expect(third.events).toEqual([]);
    expect([...browser.cookies.keys()]).toEqual(['tenon-gateway-user']);
    await browser.post(`${origin}/connect/to/third`, { csrf: csrfIn(question), answer: 'cancel' });
    expect(third.events).toEqual([]);
  });

  it('refuses a form without its token, with that of another user, and from another page [s-security-25]', async () => {
    const { signedIn, third, origin } = await started();
    const [{ browser }, other] = [await signedIn('ada'), await signedIn('grace')];
    const page = `${origin}/connect/to/third`;
    const csrf = csrfIn(await browser.get(page));
    const foreign = csrfIn(await other.browser.get(page));
    const post = async (form: Record<string, string>, headers = {}, by = browser) =>
      (await by.post(page, { answer: 'connect', ...form }, headers)).status;
    expect(await post({})).toBe(403);
    expect(await post({ csrf: foreign })).toBe(403);
    expect(await post({ csrf }, { origin: 'https://evil.example' })).toBe(403);
    expect(await post({ csrf }, {}, new Browser())).toBe(403);
    expect(third.events).toEqual([]);
  });

  it('accepts a callback once, from the browser and the user that began it [s-security-29, s-security-32, s-security-33, s-auth-224@2025-03-26]', async () => {
    const { signedIn, leave, origin } = await started();
    const [ada, grace] = [await signedIn('ada'), await signedIn('grace')];
    const callback = await leave(ada.browser, 'ada');
    expect((await grace.browser.get(callback)).status).toBe(400);
    expect((await new Browser().get(callback)).status).toBe(400);
    const forged = new URL(callback);
    forged.searchParams.set('state', 'x'.repeat(43));
    expect((await ada.browser.get(forged)).status).toBe(400);
    const chosen = new URL(`${origin}/connect/to/third?redirect_uri=https://evil.example`);
    expect((await ada.browser.get(chosen)).status).toBe(400);
    expect((await ada.browser.get(callback)).status).toBe(303);
    expect((await ada.browser.get(callback)).status).toBe(400);
    expect((await grace.browser.get(`${origin}/connect`)).text).toContain('Not connected');
  });

  it('has an edited cookie count as none, and pages that no other page can frame [s-security-26]', async () => {
    const { signedIn, origin } = await started();
    const { browser, page } = await signedIn('ada');
    expect(page.headers.get('content-security-policy')).toContain("frame-ancestors 'none'");
    expect(page.headers.get('cache-control')).toBe('no-store');
    const [name = '', value = ''] = [...browser.cookies][0] ?? [];
    browser.cookies.set(name, `${value.slice(0, -2)}AA`);
    expect((await browser.get(`${origin}/connect`)).status).toBe(303);
    const form = await browser.post(`${origin}/connect/to/third`, { answer: 'connect' });
    expect(form.status).toBe(403);
  });

  it('disconnects: the token is revoked, and calls need an account again [s-auth-222@2025-03-26]', async () => {
    const { connected, callerOf, third, origin } = await started();
    const browser = await connected('ada');
    const ada = await callerOf('ada');
    expect(textOf(await ada.tools.call('third__whoami', {}))).toBe('ada');
    const question = await browser.get(`${origin}/connect/to/third`);
    expect(question.text).toContain('Disconnect the account');
    expect(question.text).toContain('editor');
    await browser.post(`${origin}/connect/to/third`, { csrf: csrfIn(question), answer: 'disconnect' });
    expect(third.events.some(({ type }) => type === 'revoked')).toBe(true);
    expect((await browser.get(`${origin}/connect`)).text).toContain('Not connected');
  });

  it('shows a named error if the user denies, and asks nothing again [s-auth-228@2025-03-26]', async () => {
    const { signedIn, third, origin, gateway } = await started();
    const { browser } = await signedIn('ada');
    const question = await browser.get(`${origin}/connect/to/third`);
    const toThird = await browser.post(`${origin}/connect/to/third`, { csrf: csrfIn(question), answer: 'connect' });
    const denied = await browser.get(await third.server.signIn(locationOf(toThird), { user: 'ada', deny: true }));
    expect([denied.status, denied.text]).toEqual([400, expect.stringContaining('The sign-in was not completed.')]);
    expect(gateway.warnings.some((text) => text.includes('access_denied'))).toBe(true);
    expect(third.events.filter(({ type }) => type === 'token-issued')).toEqual([]);
  });

  it('registers one client at the upstream for all users', async () => {
    const { connected, third } = await started();
    await connected('ada');
    await connected('grace');
    expect(third.events.filter(({ type }) => type === 'registered')).toHaveLength(1);
  });
});
