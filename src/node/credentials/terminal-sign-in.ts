/** Signing in from a program in a terminal: a browser shows the page, and a port of this machine receives the redirect. */
import type { PreparedSignIn, SignIn } from '../../auth/client/sign-in.ts';
import { TenonError } from '../../lib/errors/tenon-error.ts';
import { readOptions } from '../../lib/options/read-options.ts';
import { type Deadlines, processDeadlines } from '../../lib/time/deadlines.ts';
import { deadlinesIn } from '../../lib/time/internal-deadlines.ts';
import { runSafely } from '../../lib/values/run-safely.ts';
import { type CallbackServer, listenFailed, listenForCallback } from './callback-server.ts';
import { isWebPage, openBrowser } from './open-browser.ts';
import { terminalSignInOptions } from './sign-in-options.table.ts';
import type { TerminalSignInOptions } from './sign-in-options.ts';

/** How often a port that another sign-in uses is tried again. */
const retryMs = 250;

/**
 * Lets the user sign in with a browser on this machine. The page is opened and printed to standard error; a port of
 * 127.0.0.1 receives the redirect. With a fixed `port`, a second process waits until the first has signed in.
 *
 * @example
 * ```ts
 * const signIn = terminalSignIn({ port: 8765 });
 * ```
 */
export function terminalSignIn(options: TerminalSignInOptions = {}): SignIn {
  const otherNames = { onOpen: 'onUrl', redirectPort: 'port' };
  const settings = readOptions('terminalSignIn()', terminalSignInOptions, options, otherNames);
  const { port, path, timeoutMs, openBrowser: opens, onUrl = print } = settings;
  const deadlines = deadlinesIn(options) ?? processDeadlines();
  const limit = <T>(wait: (signal: AbortSignal) => Promise<T>, signal: AbortSignal, late: () => TenonError) =>
    withDeadline(deadlines, timeoutMs, signal, late, wait);

  async function authorize(server: CallbackServer, url: URL, signal: AbortSignal): Promise<string> {
    if (!isWebPage(url)) throw notAWebPage(url);
    server.expect(url.searchParams.get('state'));
    return limit(
      () => {
        const failure = new Promise<never>((_resolve, reject) => runSafely(() => onUrl(url), reject));
        if (opens) openBrowser(url);
        return Promise.race([server.received, failure]);
      },
      signal,
      () => notFinished(timeoutMs),
    );
  }

  return {
    async prepare(signal, registered = []): Promise<PreparedSignIn> {
      const server = await limit(
        async (ended) => {
          const found = port === 0 ? await listenOnRegistered(path, registered) : undefined;
          const listening = found ?? (await listenWhenFree(path, port, deadlines, ended));
          if (ended.aborted) await listening.close();
          return listening;
        },
        signal,
        () => listenFailed(port, { code: 'EADDRINUSE' }),
      );
      const redirectUri = `http://127.0.0.1:${server.port}${path}`;
      return {
        redirectUri,
        async authorize(url, waitSignal) {
          const query = await authorize(server, url, waitSignal);
          return new URL(`${redirectUri}?${query}`);
        },
        close: () => server.close(),
      };
    },
  };
}

const print = (url: URL): void => void process.stderr.write(`Sign in at:\n  ${url.href}\n`);

/** A client is registered again for another port. Nothing where no such port is free. */
async function listenOnRegistered(path: string, registered: readonly string[]): Promise<CallbackServer | undefined> {
  const known = registered
    .map((uri) => new URL(uri))
    .find(
      ({ protocol, hostname, pathname, port }) =>
        hostname === '127.0.0.1' && pathname === path && protocol === 'http:' && port !== '',
    );
  return known && listenForCallback(path, Number(known.port)).catch(() => undefined);
}

/** A fixed port that is in use belongs to another process that signs in. When it is free, the tokens may be stored already. */
async function listenWhenFree(
  path: string,
  port: number,
  deadlines: Deadlines,
  signal: AbortSignal,
): Promise<CallbackServer> {
  for (;;) {
    try {
      return await listenForCallback(path, port);
    } catch (error) {
      if (port === 0 || (error as NodeJS.ErrnoException).code !== 'EADDRINUSE') throw listenFailed(port, error);
    }
    await new Promise<void>((resolve) => deadlines.add(retryMs, resolve));
    signal.throwIfAborted();
  }
}

/** Waits at most `ms`, and not after `signal` is aborted. `wait` gets a signal for both. */
async function withDeadline<T>(
  deadlines: Deadlines,
  ms: number,
  signal: AbortSignal,
  late: () => TenonError,
  wait: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  signal.throwIfAborted();
  const control = new AbortController();
  const onAbort = (): void => control.abort(signal.reason);
  const deadline = deadlines.add(ms, () => control.abort(late()));
  signal.addEventListener('abort', onAbort, { once: true });
  try {
    return await Promise.race([
      wait(control.signal),
      new Promise<never>((_resolve, reject) => {
        control.signal.addEventListener('abort', () => reject(control.signal.reason as Error), { once: true });
      }),
    ]);
  } finally {
    deadlines.cancel(deadline);
    signal.removeEventListener('abort', onAbort);
  }
}

const notAWebPage = ({ protocol }: URL): TenonError =>
  new TenonError('url-not-allowed', `The authorization server has a page with the scheme ${protocol}`, {
    hint: 'Only http: and https: are opened. Check the metadata of the authorization server.',
  });

const notFinished = (timeoutMs: number): TenonError =>
  new TenonError('timeout', `The sign-in was not finished within ${timeoutMs} ms.`, {
    hint: 'Sign in again, or raise timeoutMs. If the page showed an error, that is the reason.',
    details: { timeoutMs },
  });
