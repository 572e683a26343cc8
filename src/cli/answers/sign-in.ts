/** Signs a user in to a server: in a browser on this machine, or with a code on any device. */
import { deviceCode } from '../../auth/client/grants/device-code.ts';
import { oauth } from '../../auth/client/oauth.ts';
import type { OAuthOptions } from '../../auth/client/options.ts';
import type { Fields } from '../../lib/values/is.ts';
import { terminalSignIn } from '../../node/credentials/terminal-sign-in.ts';
import type { Given } from '../io/given.ts';
import { portOf } from '../io/until-closed.ts';
import { readConnection, urlTargetOf, usingClient } from '../target/open-client.ts';
import { type SignInPage, setPendingSignIn, withoutSignInWaits } from '../target/pending-sign-in.ts';
import { oauthOptions } from '../target/stored-auth.ts';
import { usageError } from '../usage-error.ts';
import { answerMs } from './pending-calls.ts';

/** Connects, so that the server asks for credentials. `onPage` shows the page; it is opened only if `opensBrowser` is true. */
export async function signIn(given: Given, opensBrowser: boolean, onPage: (page: SignInPage) => void): Promise<Fields> {
  const connection = await readConnection(given);
  const target = urlTargetOf(connection);
  if (target === undefined) throw usageError('Only a server at a URL has a sign-in.', 'Write tenon login https://….');
  const { url, headers, timeoutMs } = target;
  const options = oauthOptions(given.io);
  let shown: Promise<void> | undefined;
  const auth = oauth({
    ...options,
    store: withoutSignInWaits(options.store, url, timeoutMs),
    ...grantOf(given, opensBrowser, (page) => {
      shown = setPendingSignIn(options.store, url, page).then(() => onPage(page));
    }),
    timeouts: { signInMs: answerMs },
  });
  try {
    return await usingClient(
      given.io,
      { ...connection, target: { url, headers, auth } },
      async ({ serverInfo }) => ({ url, serverInfo, isSignedIn: shown !== undefined }),
      // A person needs longer than a server.
      { timeoutMs: answerMs },
    );
  } finally {
    if (shown !== undefined) await shown.then(() => setPendingSignIn(options.store, url));
  }
}

function grantOf(given: Given, opensBrowser: boolean, onPage: (page: SignInPage) => void): OAuthOptions {
  const clientId = given.text('client-id');
  const scopes = given.texts('scope');
  const grant: OAuthOptions = given.flag('device')
    ? { grant: deviceCode({ onCode: ({ url, code }) => onPage({ url, code }) }) }
    : {
        signIn: terminalSignIn({
          timeoutMs: answerMs,
          openBrowser: opensBrowser,
          onUrl: ({ href }) => onPage({ url: href }),
          ...redirectPort(given),
        }),
      };
  return {
    ...grant,
    ...(clientId !== undefined && { client: { clientId } }),
    ...(scopes.length > 0 && { scopes }),
  };
}

function redirectPort(given: Given): { readonly port?: number } {
  const text = given.text('port');
  return text === undefined ? {} : { port: portOf('port', text) };
}
