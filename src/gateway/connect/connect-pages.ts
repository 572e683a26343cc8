/** The pages where a user connects accounts: the list of upstreams, and the question before a sign-in. HTML without script. */
import { type Html, html } from '../../auth-pages/html.ts';
import { page } from '../../auth-pages/page.ts';

/** An upstream as the pages show it. */
export interface ShownUpstream {
  readonly name: string;
  /** Where its server is. */
  readonly host: string;
  readonly isConnected: boolean;
  /** The IDs of the clients that may use the account. */
  readonly clients: readonly string[];
  /** Where its page is. */
  readonly href: string;
}

export interface ListPage {
  readonly user: string;
  readonly upstreams: readonly ShownUpstream[];
}

export const listPage = ({ user, upstreams }: ListPage): string =>
  page(
    { title: 'Your connected accounts' },
    html`<p>You are signed in as <b>${user}</b>. The gateway uses an account of yours at these servers, in calls of
applications that you have allowed to.</p>
<ul class="cards">${upstreams.map(card)}</ul>`,
  );

const card = ({ name, host, isConnected, clients, href }: ShownUpstream): Html => html`<li><b>${name}</b>
<div><code>${host}</code></div>
<div class="soft">${isConnected ? 'Connected' : 'Not connected'}</div>
${clients.map((client) => html`<div class="soft">Allowed: ${shownClient(client)}</div>`)}
<p><a href="${href}">${isConnected ? `Change or disconnect ${name}` : `Connect ${name}`}</a></p></li>
`;

/** The issuer of the callers names clients by their IDs only. */
const shownClient = (client: string): Html =>
  client === '' ? html`applications without an ID` : html`<code>${client}</code>`;

export interface QuestionPage extends ShownUpstream {
  readonly user: string;
  readonly csrf: string;
  /** The client that has asked for the account; absent if the user has opened the page. */
  readonly client: string | undefined;
  readonly ticket: string | undefined;
  /** Those that the file asks for; none if the upstream decides. */
  readonly scopes: readonly string[];
  /** Where the browser comes back to. */
  readonly redirectUri: string;
}

/** Nothing reaches the authorization server of the upstream before the user has pressed the button. */
export function questionPage(shown: QuestionPage): string {
  const { name, client, clients, isConnected } = shown;
  const isAsked = client !== undefined && !clients.includes(client);
  if (isConnected && !isAsked) return connectedPage(shown);
  const title = isConnected ? `Share your account at ${name}?` : `Connect ${name}?`;
  return page({ title }, questionText(shown), form(shown, 'connect', isConnected ? 'Allow' : 'Connect'));
}

const connectedPage = (shown: QuestionPage): string =>
  page(
    { title: `Your account at ${shown.name}` },
    html`<p>You are signed in as <b>${shown.user}</b>. These applications can use your account at <b>${shown.name}</b>:</p>`,
    form(shown, 'disconnect', 'Disconnect the account'),
  );

const form = (shown: QuestionPage, answer: string, text: string): Html => {
  const { href, csrf, ticket, clients, isConnected } = shown;
  const changes = isConnected && answer === 'disconnect';
  return html`<form method="post" action="${href}">
<input type="hidden" name="csrf" value="${csrf}">
${ticket !== undefined && html`<input type="hidden" name="ticket" value="${ticket}">`}
${changes && clients.length === 0 && html`<p class="soft">None</p>`}
${changes && clients.map(withdrawal)}
<div class="buttons">
<button class="primary" name="answer" value="${answer}">${text}</button>
<button name="answer" value="cancel">Cancel</button>
</div>
</form>`;
};

const withdrawal = (client: string): Html =>
  html`<p>${shownClient(client)} <button name="withdraw" value="${client}">Remove</button></p>
`;

const questionText = ({
  name,
  host,
  user,
  client,
  scopes,
  redirectUri,
  isConnected,
}: QuestionPage): Html => html`<p>You are signed in as <b>${user}</b>.
${
  client === undefined
    ? html`You then sign in at the server <b>${name}</b>. Each application asks you before it uses that account.`
    : html`An application wants to use your account at the server <b>${name}</b>${isConnected ? '.' : ', where you then sign in.'}
Allow it only if you have just used it.`
}</p>
<dl>
${client !== undefined && html`<div><dt>Application</dt><dd>${shownClient(client)}</dd></div>`}
<div><dt>Server</dt><dd><code>${host}</code></dd></div>
<div><dt>It may do this</dt><dd>${scopes.length === 0 ? 'What the server asks for' : html`<code>${scopes.join(' ')}</code>`}</dd></div>
<div><dt>Afterwards you are sent to</dt><dd><code>${redirectUri}</code></dd></div>
</dl>`;

export const failedPage = (text: string, back: string): string =>
  page(
    { title: 'This did not work' },
    html`<p>${text}</p>
<p><a href="${back}">Your connected accounts</a></p>`,
  );
