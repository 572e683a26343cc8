/** The page of an account: which clients act for the user, each with a button that ends it. */
import { list, type ShownClient, shownClient } from './consent.ts';
import { type Html, html } from './html.ts';
import { page } from './page.ts';
import { filled, type PageTexts, plain, readTexts } from './texts.ts';

/** A client that the user allowed. */
export interface ApprovedClient extends ShownClient {
  readonly id: string;
  readonly scopes: readonly string[];
  /** When, in milliseconds since 1970. */
  readonly approvedAt?: number | undefined;
}

export interface AccountPage {
  /** Where forms are posted to: `csrf`, and `revoke` with the ID of a client or `sign-out`. */
  readonly action: string;
  readonly csrf: string;
  readonly user: string;
  readonly providerName: string;
  readonly clients: readonly ApprovedClient[];
  readonly texts?: Partial<PageTexts> | undefined;
}

export function accountPage({ action, csrf, user, providerName, clients, texts: own }: AccountPage): string {
  const texts = readTexts(own);
  const form = (button: Html): Html => html`<form method="post" action="${action}">
<input type="hidden" name="csrf" value="${csrf}">${button}</form>`;
  const intro = { user, provider: providerName };
  return page(
    { title: texts.accountTitle, language: texts.language },
    html`<p>${filled(texts.accountIntro, intro)}</p>
<p>${clients.length === 0 ? texts.noClients : texts.accountClients}</p>
${clients.length > 0 && html`<ul class="cards">${clients.map((client) => card(client, texts, form))}</ul>`}
${form(html`<button name="sign-out" value="yes">${texts.signOut}</button>`)}`,
  );
}

const card = (client: ApprovedClient, texts: PageTexts, form: (button: Html) => Html): Html => {
  const { id, name, scopes, approvedAt } = client;
  const label = plain(texts.revokeLabel, { client: name });
  return html`<li>${shownClient(client, texts)}
${scopes.length > 0 && list(scopes)}
${approvedAt !== undefined && html`<div class="soft">${filled(texts.approved, { date: dayOf(approvedAt) })}</div>`}
${form(html`<button name="revoke" value="${id}" aria-label="${label}">${texts.revoke}</button>`)}</li>
`;
};

const dayOf = (ms: number): string => new Date(ms).toISOString().slice(0, 10);
