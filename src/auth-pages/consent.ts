/** The page that asks a user for consent, before anything is sent to the provider. */
import { type Html, html } from './html.ts';
import { page } from './page.ts';
import { filled, type PageTexts, readTexts } from './texts.ts';

/** The client as the page names it. */
export interface ShownClient {
  readonly name: string;
  /** The host of its metadata document, which it controls. */
  readonly host?: string | undefined;
  /** Whether the operator of this server registered it. The name of any other client could be a lie. */
  readonly isKnown: boolean;
}

export interface ConsentPage {
  /** Where the form is posted to: `csrf`, and `answer` with `allow` or `deny`. */
  readonly action: string;
  readonly csrf: string;
  readonly client: ShownClient;
  readonly redirectUri: string;
  readonly resource: string;
  readonly scopes: readonly string[];
  readonly providerName: string;
  readonly providerScopes: readonly string[];
  /** Whether all redirect URIs of the client are on this machine, so that any program could use its name. */
  readonly isLoopbackOnly: boolean;
  /** The name of the user, if they are signed in already. */
  readonly user?: string | undefined;
  readonly texts?: Partial<PageTexts> | undefined;
}

export function consentPage(options: ConsentPage): string {
  const { action, csrf, client, redirectUri, resource, scopes, providerName, providerScopes, isLoopbackOnly, user } =
    options;
  const texts = readTexts(options.texts);
  const provider = { provider: providerName };
  return page(
    { title: texts.title, language: texts.language },
    html`<p>${filled(texts.intro, { client: client.name, ...provider })}</p>
${user !== undefined && html`<p>${filled(texts.signedInAs, { user })}</p>`}
<dl>
${row(texts.application, shownClient(client, texts))}
${row(texts.redirect, shownUrl(redirectUri))}
${row(texts.server, html`<code>${resource}</code>`)}
${row(texts.scopes, scopes.length === 0 ? html`${texts.noScopes}` : list(scopes))}
${providerScopes.length > 0 && row(filled(texts.providerScopes, provider), list(providerScopes))}
</dl>
${isLoopbackOnly && html`<p class="warning">${texts.loopback}</p>`}
<form method="post" action="${action}">
<input type="hidden" name="csrf" value="${csrf}">
<div class="buttons">
<button class="primary" name="answer" value="allow">${texts.allow}</button>
<button name="answer" value="deny">${texts.deny}</button>
</div>
</form>`,
  );
}

const row = (name: string | Html, value: Html): Html => html`<div><dt>${name}</dt><dd>${value}</dd></div>
`;

export const list = (items: readonly string[]): Html =>
  html`<ul>${items.map((item) => html`<li><code>${item}</code></li>`)}</ul>`;

export const shownClient = ({ name, host, isKnown }: ShownClient, texts: PageTexts): Html =>
  html`<b>${name}</b>${!isKnown && html` <span class="tag">${texts.unverified}</span>`}
${host !== undefined && html`<div><code>${host}</code></div>`}
${!isKnown && html`<div class="soft">${texts.unverifiedHint}</div>`}`;

/** The whole address with its host in bold: what is before or after it could look like another host. */
function shownUrl(address: string): Html {
  const host = URL.canParse(address) ? new URL(address).host : '';
  const at = host === '' ? -1 : address.toLowerCase().indexOf(host, address.indexOf('//') + 2);
  if (at < 0) return html`<code>${address}</code>`;
  const end = at + host.length;
  return html`<code>${address.slice(0, at)}<b>${address.slice(at, end)}</b>${address.slice(end)}</code>`;
}
