/** The pages of the development server, in the frame of all sign-in pages. */
import { Html, type HtmlValue, html } from '../auth-pages/html.ts';
import { page as framed } from '../auth-pages/page.ts';

const note = 'Development authorization server: not for production.';

const page = (title: string, content: HtmlValue): string => framed({ title, note }, content);

/** One button for each user. */
export function signInPage(action: string, client: string, users: readonly string[]): string {
  const buttons = users.map((user) => html`<button name="user" value="${user}">${user}</button>\n`);
  return page(
    'Sign in',
    html`<p><b>${client}</b> asks you to sign in. Continue as:</p>
<form method="post" action="${action}"><div class="buttons">${buttons}</div></form>`,
  );
}

/** What the client would be allowed to do. */
export interface Consent {
  readonly client: string;
  readonly user: string;
  readonly resources: readonly string[];
  readonly scopes: readonly string[];
  /** Where the browser goes next; `undefined` for a device. */
  readonly redirect: { readonly host: string; readonly isLocal: boolean } | undefined;
}

export function consentPage(action: string, { client, user, resources, scopes, redirect }: Consent): string {
  const list = (items: readonly string[]) => html`<ul>${items.map((item) => html`<li><code>${item}</code></li>`)}</ul>`;
  const warning = html`<p class="warning">That is a program on this computer. Allow it only if you started it yourself.</p>`;
  return page(
    'Allow access',
    html`<p>Allow <b>${client}</b> to act for <b>${user}</b>${resources.length > 0 && html` at`}</p>
${resources.length > 0 && list(resources)}
${scopes.length > 0 && html`<p>With these scopes:</p>${list(scopes)}`}
${redirect && html`<p>You are then sent to <b>${redirect.host}</b>.</p>`}
${redirect?.isLocal && warning}
<form method="post" action="${action}">
<div class="buttons">
<button class="primary" name="consent" value="allow">Allow</button>
<button name="consent" value="deny">Deny</button>
</div>
</form>`,
  );
}

/** The forms of device pages are those of oidc-provider: they hold its token against forgery. */
export const deviceCodePage = (form: string, failed: boolean): string =>
  page(
    'Connect a device',
    html`<p>${failed && 'This code is not valid. '}Enter the code that the device shows.</p>
${new Html(form)}
<div class="buttons"><button class="primary" form="op.deviceInputForm">Continue</button></div>`,
  );

export const deviceConfirmPage = (form: string, client: string, code: string): string =>
  page(
    'Connect a device',
    html`<p><b>${client}</b> shows this code:</p>
<p><code>${code}</code></p>
${new Html(form)}
<div class="buttons">
<button class="primary" form="op.deviceConfirmForm">Continue</button>
<button form="op.deviceConfirmForm" name="abort" value="yes">This is not my device</button>
</div>`,
  );

export const messagePage = (title: string, text: string): string => page(title, html`<p>${text}</p>`);

export const errorPage = (error: string, text: string): string =>
  page('Something is wrong', html`<p><b>${error}</b> ${text}</p>`);
