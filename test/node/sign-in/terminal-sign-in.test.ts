/** Signing in from a terminal: which redirects count, what the page shows, and how the wait ends. */
import childProcess from 'node:child_process';
import { createHash } from 'node:crypto';
import { EventEmitter } from 'node:events';
import { type PreparedSignIn, type TerminalSignInOptions, terminalSignIn } from 'tenon/auth';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { style as pageStyle } from '../../../src/auth-pages/style.ts';
import { createFakeClock } from '../../../src/lib/time/fake-clock.ts';
import { withClock } from '../../../src/lib/time/internal-deadlines.ts';
import { browserProgram, isWebPage, openBrowser } from '../../../src/node/credentials/open-browser.ts';
import { deferred } from '../../kit/deferred.ts';
import { withTimeout } from '../../kit/with-timeout.ts';

const page = (state = 'right'): URL => new URL(`https://id.example/authorize?state=${state}`);
const never = new AbortController().signal;

async function prepared(options: TerminalSignInOptions = {}): Promise<PreparedSignIn> {
  const signIn = terminalSignIn({ openBrowser: false, onUrl: () => {}, ...options });
  const ready = await withTimeout(signIn.prepare(never), 'the port');
  onTestFinished(() => ready.close());
  return ready;
}

describe('terminalSignIn', () => {
  it('has its redirect address on 127.0.0.1 before the page is built [e-auth-104]', async () => {
    const { redirectUri } = await prepared({ path: '/done' });
    expect(redirectUri).toMatch(/^http:\/\/127\.0\.0\.1:\d+\/done$/);
    expect((await fetch(redirectUri.replace('/done', '/other'))).status).toBe(404);
  });

  it('uses the port of the last registration if it is free, and another otherwise', async () => {
    const first = await prepared();
    const registered = ['https://app.example/callback', first.redirectUri];
    const again = terminalSignIn({ openBrowser: false, onUrl: () => {} });
    const beside = await again.prepare(never, registered);
    expect(beside.redirectUri).not.toBe(first.redirectUri);
    await beside.close();
    await first.close();
    const second = await again.prepare(never, registered);
    onTestFinished(() => second.close());
    expect(second.redirectUri).toBe(first.redirectUri);
  });

  it('resolves to the redirect with its parameters, and shows a page without scripts or input', async () => {
    const shown = deferred<URL>();
    const signIn = await prepared({ onUrl: (url) => shown.resolve(url) });
    const redirected = signIn.authorize(page(), never);
    expect((await shown.promise).href).toBe(page().href);
    const target = `${signIn.redirectUri}?code=%3Cscript%3E&state=right&iss=https%3A%2F%2Fid.example`;
    const response = await fetch(target);
    const text = await response.text();
    expect(response.status).toBe(200);
    expect(text).toContain('You can close this page');
    expect(text).not.toMatch(/script|right|id\.example/);
    expect(response.headers.get('content-security-policy')).toContain("default-src 'none'");
    expect(response.headers.get('cache-control')).toBe('no-store');
    expect((await redirected).href).toBe(target);
  });

  it('shows that page in the frame and the colours of the other pages of a sign-in', async () => {
    const { redirectUri } = await prepared();
    const response = await fetch(`${redirectUri}?state=wrong`);
    const [, own = ''] = /<style>(.*?)<\/style>/s.exec(await response.text()) ?? [];
    const hash = createHash('sha256').update(own).digest('base64');
    expect(response.headers.get('content-security-policy')).toContain(`style-src 'sha256-${hash}'`);
    const colours = own.match(/#[\da-f]+/g) ?? [];
    expect(colours).toHaveLength(8);
    for (const colour of colours) expect(pageStyle.text).toMatch(new RegExp(`${colour}\\b`));
    for (const rule of ['max-width: 480px', 'border-radius: 10px']) {
      expect(pageStyle.text).toContain(rule);
      expect(own).toContain(rule.replace(' ', ''));
    }
  });

  it('ignores what is not the redirect of this sign-in, and takes the redirect once [e-auth-111]', async () => {
    const signIn = await prepared();
    const redirected = signIn.authorize(page(), never);
    const get = async (query: string, method = 'GET'): Promise<number> =>
      (await fetch(`${signIn.redirectUri}${query}`, { method })).status;
    expect(await get('?code=evil&state=wrong')).toBe(400);
    expect(await get('?error=access_denied')).toBe(400);
    expect(await get('?code=x&state=right', 'POST')).toBe(405);
    expect(await get('?code=good&state=right')).toBe(200);
    expect(await get('?code=late&state=right')).toBe(400);
    expect((await redirected).searchParams.get('code')).toBe('good');
  });

  it('fails with timeout when the user takes too long', async () => {
    const clock = createFakeClock();
    const signIn = await prepared({ timeoutMs: 1000, ...withClock(clock) });
    const waiting = signIn.authorize(page(), never);
    clock.advance(1000);
    await expect(waiting).rejects.toMatchObject({ code: 'timeout', details: { timeoutMs: 1000 } });
  });

  it('stops waiting when it is cancelled, and frees its port', async () => {
    const signIn = await prepared();
    const stop = new AbortController();
    const waiting = signIn.authorize(page(), stop.signal);
    stop.abort(new Error('cancelled by the test'));
    await expect(waiting).rejects.toThrow('cancelled by the test');
    await signIn.close();
    await expect(fetch(signIn.redirectUri)).rejects.toThrow('fetch failed');
    await expect(terminalSignIn().prepare(stop.signal)).rejects.toThrow('cancelled by the test');
  });

  it('waits for a fixed port that another process signs in with', async () => {
    const clock = createFakeClock();
    const first = await prepared();
    const port = Number(new URL(first.redirectUri).port);
    const second = terminalSignIn({ port, openBrowser: false, ...withClock(clock) }).prepare(never);
    // Its time limit, and the next attempt.
    await vi.waitFor(() => expect(clock.pending).toBe(2));
    await first.close();
    let isReady = false;
    void second.then(() => (isReady = true));
    // A process that another test spawns holds the port between fork and exec: then there is one more attempt.
    await expect
      .poll(() => {
        clock.advance(1000);
        return isReady;
      })
      .toBe(true);
    const ready = await second;
    expect(ready.redirectUri).toBe(first.redirectUri);
    await ready.close();
  });

  it('names a port that stays in use', async () => {
    const clock = createFakeClock();
    const first = await prepared();
    const port = Number(new URL(first.redirectUri).port);
    const second = terminalSignIn({ port, timeoutMs: 100, ...withClock(clock) }).prepare(never);
    clock.advance(100);
    await expect(second).rejects.toMatchObject({ code: 'listen-failed', details: { port } });
  });

  it('prints the page to standard error', async () => {
    const written = vi.spyOn(process.stderr, 'write').mockReturnValue(true);
    onTestFinished(() => written.mockRestore());
    const signIn = await terminalSignIn({ openBrowser: false }).prepare(never);
    const stop = new AbortController();
    const waiting = signIn.authorize(page(), stop.signal);
    stop.abort(new Error('cancelled by the test'));
    await expect(waiting).rejects.toThrow('cancelled by the test');
    await signIn.close();
    expect(written.mock.calls.join('')).toContain(page().href);
  });

  it('names the option that is wrong', () => {
    expect(() => terminalSignIn({ port: 70_000 })).toThrow(/port must be an integer, 0 to 65535/);
    expect(() => terminalSignIn({ path: 'callback' })).toThrow(/path such as \/callback/);
    expect(() => terminalSignIn({ timeout: 5 } as object)).toThrow(/timeoutMs/);
  });
});

describe('The browser', () => {
  it('is opened by a program that gets the address as an argument', () => {
    expect(browserProgram('darwin', {})).toEqual(['open']);
    expect(browserProgram('win32', {})).toEqual(['rundll32', 'url.dll,FileProtocolHandler']);
    expect(browserProgram('linux', { DISPLAY: ':0' })).toEqual(['xdg-open']);
    expect(browserProgram('linux', {})).toBeUndefined();
  });

  it('gets the address as one argument of that program, without a shell [e-secbp-14, s-security-58, s-security-59]', () => {
    const spawn = vi.spyOn(childProcess, 'spawn');
    spawn.mockReturnValue(Object.assign(new EventEmitter(), { unref: () => {} }) as never);
    vi.stubEnv('DISPLAY', ':0');
    onTestFinished(() => {
      spawn.mockRestore();
      vi.unstubAllEnvs();
    });
    const url = new URL('https://id.example/a?b=$(touch x)&c=`id`;d|e%20f');
    openBrowser(url);
    const [command, given, options] = spawn.mock.calls[0] as unknown as [string, string[], { shell?: unknown }];
    expect([command, ...given.slice(0, -1)]).toEqual(browserProgram());
    expect(given.at(-1)).toBe(url.href);
    expect(options.shell ?? false).toBe(false);
    for (const platform of ['darwin', 'win32', 'linux'] as const)
      expect(browserProgram(platform, { DISPLAY: ':0' })?.[0]).not.toMatch(/sh$|cmd|powershell/);
    openBrowser(new URL('file:///etc/passwd'));
    expect(spawn).toHaveBeenCalledTimes(1);
  });

  it.each(['file:///etc/passwd', 'javascript:alert(1)', 'ms-settings:x', 'data:text/html,x', 'vbscript:x'])(
    'does not open %s [e-secbp-13, s-security-55, s-security-57]',
    async (url) => {
      expect(isWebPage(new URL(url))).toBe(false);
      const signIn = await prepared();
      await expect(signIn.authorize(new URL(url), never)).rejects.toMatchObject({ code: 'url-not-allowed' });
    },
  );
});
