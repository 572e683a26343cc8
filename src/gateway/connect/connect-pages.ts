/** The pages where a user connects accounts: the list of upstreams, and the question before a sign-in. HTML without script. */
import { type Html, html } from '../../auth-pages/html.ts';
import { page } from '../../auth-pages/page.ts';

/** An upstream as the pages show it. */
export interface ShownUpstream {
  readonly name: string;
  /** Where its server is. */
  readonly host: string;
  readonly isConnected: boolean;
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
applications that you have signed in.</p>
<ul class="cards">${upstreams.map(card)}</ul>`,
  );

const card = ({ name, host, isConnected, href }: ShownUpstream): Html => html`<li><b>${name}</b>
<div><code>${host}</code></div>
<div class="soft">${isConnected ? 'Connected' : 'Not connected'}</div>
<p><a href="${href}">${isConnected ? `Disconnect ${name}` : `Connect ${name}`}</a></p></li>
`;

export interface QuestionPage extends ShownUpstream {
  readonly user: string;
  readonly csrf: string;
  /** Those that the file asks for; none if the upstream decides. */
  readonly scopes: readonly string[];
  /** Where the browser comes back to. */
  readonly redirectUri: string;
}

/** Nothing reaches the authorization server of the upstream before the user has pressed the button. */
export const questionPage = (shown: QuestionPage): string => {
  const { name, isConnected, href, csrf } = shown;
  const answer = isConnected ? 'disconnect' : 'connect';
  return page(
    { title: isConnected ? `Disconnect ${name}?` : `Connect ${name}?` },
    isConnected ? connectedText(shown) : questionText(shown),
    html`<form method="post" action="${href}">
<input type="hidden" name="csrf" value="${csrf}">
<div class="buttons">
<button class="primary" name="answer" value="${answer}">${isConnected ? 'Disconnect' : 'Connect'}</button>
<button name="answer" value="cancel">Cancel</button>
</div>
</form>`,
  );
};

const connectedText = ({ name, user }: QuestionPage): Html =>
  html`<p>You are signed in as <b>${user}</b>. Afterwards no application can use your account at <b>${name}</b> through this
gateway.</p>`;

const questionText = ({
  name,
  host,
  user,
  scopes,
  redirectUri,
}: QuestionPage): Html => html`<p>You are signed in as <b>${user}</b>.
You then sign in at the server <b>${name}</b>. Applications that you have signed in at this gateway can use that account.</p>
<dl>
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
