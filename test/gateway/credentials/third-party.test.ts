/** Accounts of users at a third party: their tokens stay at the gateway, are renewed there, and end there. */
import { readdirSync, readFileSync } from 'node:fs';
import { type IncomingMessage, ServerResponse } from 'node:http';
import { join } from 'node:path';
import { setTimeout as after } from 'node:timers/promises';
import type { ProtocolVersion } from 'tenon';
import { toRequiredUrls } from 'tenon/client';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { Secrets } from '../../../src/auth-server/secrets.ts';
import { BrowserSessions } from '../../../src/gateway/connect/browser-session.ts';
import { sessionVersions } from '../../kit/version-order.ts';
import { textOf } from '../command/serving.ts';
import { Browser, csrfIn, locationOf } from './browser.ts';
import { started } from './connecting.ts';

const newestSession = sessionVersions.at(-1) as ProtocolVersion;

/** All tokens that authorization servers send from now on, by their origin. */
function issuedTokens(): { readonly origin: string; readonly token: string }[] {
  const found: { readonly origin: string; readonly token: string }[] = [];
  const real = fetch;
  vi.stubGlobal('fetch', async (url: string | URL | Request, init?: RequestInit) => {
    const response = await real(url, init);
    const isJson = response.headers.get('content-type')?.startsWith('application/json');
    const text = isJson ? await response.clone().text() : '';
    for (const [, token = ''] of text.matchAll(/"(?:access|refresh)_token":"([^"]+)"/g))
      found.push({ origin: new URL(response.url).origin, token });
    return response;
  });
  onTestFinished(() => void vi.unstubAllGlobals());
  return found;
}

describe('The tokens of a third party', () => {
  it('pass through no client, and those of clients reach no third party [s-elicitation-38, s-elicitation-39]', async () => {
    const issued = issuedTokens();
    const { connected, callerOf, third, issuer } = await started();
    const exchanged: string[] = [];
    const ada = await callerOf('ada', { tap: (event) => void exchanged.push(JSON.stringify(event)) });
    await expect(ada.tools.call('third__whoami', {})).rejects.toBeDefined();
    await connected('ada');
    expect(textOf(await ada.tools.call('third__whoami', {}))).toBe('ada');
    const of = (origin: string) =>
      issued.filter((one) => one.origin === new URL(origin).origin).map(({ token }) => token);
    const [own, theirs] = [of(issuer.server.issuer), of(third.server.issuer)];
    expect([own.length, theirs.length].every((count) => count > 0)).toBe(true);
    const received = third.received.join('\n');
    expect(theirs.some((token) => received.includes(token))).toBe(true);
    for (const token of theirs) expect(exchanged.join('\n')).not.toContain(token);
    for (const token of own) expect(received).not.toContain(token);
  });

  it('are stored by the gateway, and are in no byte of its files [s-elicitation-42, s-security-23, s-auth-225@2025-03-26]', async () => {
    const issued = issuedTokens();
    const { connected, callerOf, gateway, third } = await started({ store: true });
    await connected('ada');
    expect(textOf(await (await callerOf('ada')).tools.call('third__whoami', {}))).toBe('ada');
    const theirs = issued.filter(({ origin }) => origin === new URL(third.server.issuer).origin);
    const { path } = gateway.folder;
    const stored = readdirSync(path).filter((name) => name.startsWith('gateway.db'));
    expect([stored.length > 0, theirs.length > 0]).toEqual([true, true]);
    for (const name of stored) {
      const bytes = readFileSync(join(path, name));
      for (const { token } of theirs) expect({ name, at: bytes.indexOf(token) }).toEqual({ name, at: -1 });
    }
  });

  it('are renewed when they expire, without the user [s-auth-223@2025-03-26]', async () => {
    const { connected, callerOf, third } = await started({ third: { lifetimes: { accessTokenMs: 1000 } } });
    await connected('ada');
    const ada = await callerOf('ada');
    expect(textOf(await ada.tools.call('third__whoami', {}))).toBe('ada');
    await after(1500);
    expect(textOf(await ada.tools.call('third__whoami', {}))).toBe('ada');
    expect(third.redemptions('refresh_token')).toBeGreaterThan(0);
  });
});

describe('The connect page', () => {
  it('is opened by clients that can, whose call then continues: its URL has no name of a user, and opens nothing alone [s-elicitation-41, s-elicitation-50, s-elicitation-51]', async () => {
    const issued = issuedTokens();
    const { connected, callerOf, origin, third } = await started();
    const opened: unknown[] = [];
    const messages: string[] = [];
    const ada = await callerOf('ada', {
      protocolVersions: [newestSession],
      tap: (event) => void messages.push(JSON.stringify(event)),
      handlers: {
        elicitUrl: async ({ url, message }) => {
          opened.push(url, message);
          await connected('ada', url);
          return { action: 'accept' };
        },
      },
    });
    expect(textOf(await ada.tools.call('third__whoami', {}))).toBe('ada');
    const [link = ''] = opened as string[];
    expect(opened).toEqual([link, `Connect your account for "third" first: open ${link}`]);
    expect(link).toMatch(new RegExp(`^${origin}/connect/to/third\\?ticket=[\\w-]+$`));
    expect(link).not.toContain('ada');
    expect(Buffer.from(link.split('ticket=')[1] ?? '', 'base64url').toString('latin1')).not.toMatch(/ada|editor/);
    // A browser that opens it signs in first.
    const stranger = await new Browser().get(link);
    expect([stranger.status, new URL(stranger.location ?? '').origin]).toEqual([
      303,
      expect.not.stringContaining(origin),
    ]);
    const theirs = issued.filter((one) => one.origin === new URL(third.server.issuer).origin);
    expect(theirs.length).toBeGreaterThan(0);
    for (const { token } of theirs) expect(messages.join('\n')).not.toContain(token);
  });

  it('of a call that its user does not connect is an error with the address', async () => {
    const { callerOf, origin } = await started();
    const ada = await callerOf('ada', {
      protocolVersions: [newestSession],
      handlers: { elicitUrl: () => ({ action: 'decline' }) },
    });
    const error = await ada.tools.call('third__whoami', {}).catch((thrown) => thrown);
    expect(toRequiredUrls(error).map(({ url }) => url)).toEqual([
      expect.stringContaining(`${origin}/connect/to/third?ticket=`),
    ]);
  });
});

describe('A sign-in at a third party', () => {
  it('has a state of its own each time [s-security-30]', async () => {
    const { signedIn, origin } = await started();
    const { browser } = await signedIn('ada');
    const page = `${origin}/connect/to/third`;
    const csrf = csrfIn(await browser.get(page));
    const states = new Set<string>();
    for (let n = 0; n < 20; n++) {
      const state = new URL(locationOf(await browser.post(page, { csrf, answer: 'connect' }))).searchParams.get(
        'state',
      );
      expect(state?.length).toBeGreaterThan(20);
      states.add(String(state));
    }
    expect(states.size).toBe(20);
  });

  it('that cannot begin shows a page with a reason, and nothing of the other server [s-auth-228@2025-03-26]', async () => {
    const { signedIn, third, origin, gateway } = await started();
    const { browser } = await signedIn('ada');
    const csrf = csrfIn(await browser.get(`${origin}/connect/to/third`));
    await third.server.close();
    const failed = await browser.post(`${origin}/connect/to/third`, { csrf, answer: 'connect' });
    expect(failed.status).toBeGreaterThanOrEqual(400);
    expect(failed.text).not.toContain(new URL(third.server.issuer).host);
    expect([...browser.cookies.keys()]).toEqual(['tenon-gateway-user']);
    expect(gateway.warnings.some((text) => text.startsWith('The connect page:'))).toBe(true);
  });

  it('is in cookies of this host alone, on https [s-security-27]', () => {
    const { response, sessions } = browserOf(true);
    sessions.start(response, { subject: 'ada', name: 'Ada' });
    sessions.beginUpstream(response, { upstream: 'third', subject: 'ada', state: 'state' });
    const lines = response.getHeader('set-cookie') as string[];
    expect(lines).toHaveLength(2);
    for (const line of lines)
      expect(line).toMatch(/^__Host-[^;]+; Path=\/; HttpOnly; SameSite=Lax; Max-Age=\d+; Secure$/);
  });

  it('ends after ten minutes, and the session of the browser after an hour [s-auth-226@2025-03-26, s-security-33]', () => {
    const { response, sessions, cookies, pass } = browserOf(false);
    sessions.start(response, { subject: 'ada', name: 'Ada' });
    const flow = { upstream: 'third', subject: 'ada', state: 'state' };
    sessions.beginUpstream(response, flow);
    const sent = cookies();
    expect(sessions.takeUpstream(response, sent, 'state')).toEqual(flow);
    pass(10 * 60_000 + 1);
    expect(sessions.takeUpstream(response, sent, 'state')).toBeUndefined();
    expect(sessions.user(sent)?.subject).toBe('ada');
    pass(50 * 60_000);
    expect(sessions.user(sent)).toBeUndefined();
  });
});

/** The cookies of a browser without a network, and a clock. */
function browserOf(isSecure: boolean) {
  let now = 1_000_000;
  const response = new ServerResponse({ method: 'GET' } as IncomingMessage);
  const sessions = new BrowserSessions(new Secrets(['a secret of a test']), isSecure, () => now);
  const cookies = (): string =>
    (response.getHeader('set-cookie') as string[]).map((line) => line.split(';')[0]).join('; ');
  return { response, sessions, cookies, pass: (ms: number) => void (now += ms) };
}
