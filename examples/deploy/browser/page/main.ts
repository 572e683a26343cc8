/** A page that is an MCP client: its user signs in by a redirect, and calls tools of a server of another origin. */

import { oauth } from 'tenon/auth';
import { type Client, connect, TenonError, toText } from 'tenon/client';
import { sessionCredentials } from './session-credentials.ts';

const byId = (id: string): HTMLElement => document.getElementById(id) as HTMLElement;
const url = document.querySelector<HTMLMetaElement>('meta[name=mcp-server]')?.content ?? '';
const page = `${location.origin}${location.pathname}`;

const auth = oauth({
  store: sessionCredentials(),
  signIn: { redirectUri: page },
  clientMetadata: { name: 'The weather page' },
});
let client: Client | undefined;

/** Leaves the page if the user has to sign in; the page that they come back to calls again. */
async function run(call: (client: Client) => Promise<string>): Promise<void> {
  try {
    client ??= await connect({ url, auth });
    byId('output').textContent = await call(client);
  } catch (error) {
    if (error instanceof TenonError && error.code === 'sign-in-required') location.assign(String(error.details.url));
    else byId('output').textContent = String(error);
  }
}

const whoAmI = () => run(async ({ tools }) => toText(await tools.call('whoami')));
const count = () =>
  run(async ({ tools }) => {
    const onProgress = ({ progress, total = 1 }: { readonly progress: number; readonly total?: number }): void =>
      byId('progress').setAttribute('value', String(progress / total));
    return toText(await tools.call('count', { to: 10 }, { onProgress }));
  });

async function leave(): Promise<void> {
  await client?.close();
  client = undefined;
  await auth.signOut();
  byId('output').textContent = 'Signed out';
}

byId('call').addEventListener('click', whoAmI);
byId('count').addEventListener('click', count);
byId('leave').addEventListener('click', leave);

if (new URLSearchParams(location.search).has('state')) {
  await auth.finishSignIn(location.href).catch((error) => (byId('output').textContent = String(error)));
  history.replaceState(undefined, '', page); // the code is used: it does not stay in the history
  await whoAmI();
}
