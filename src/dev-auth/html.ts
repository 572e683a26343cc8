/** The pages of the server: plain HTML, nothing loaded from elsewhere, every value escaped. */

const style = `
  body { font: 16px/1.5 system-ui, sans-serif; max-width: 28rem; margin: 4rem auto; padding: 0 1rem; color: #222; }
  button { font: inherit; padding: .4rem 1rem; margin: .2rem .4rem .2rem 0; cursor: pointer; }
  input[type=text] { font: inherit; padding: .3rem; }
  .note { color: #666; font-size: .85rem; border-top: 1px solid #ddd; margin-top: 2rem; padding-top: .5rem; }`;

const entities: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};

const escaped = (text: string): string => text.replace(/[&<>"']/g, (each) => entities[each] ?? each);

const page = (title: string, body: string): string => `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${escaped(title)}</title>
<style>${style}</style>
<h1>${escaped(title)}</h1>
${body}
<p class="note">Development authorization server: not for production.</p>
</html>
`;

/** One button for each user. */
export function signInPage(action: string, client: string, users: readonly string[]): string {
  const buttons = users.map((user) => `<button name="user" value="${escaped(user)}">${escaped(user)}</button>`);
  return page(
    'Sign in',
    `<p><b>${escaped(client)}</b> asks you to sign in. Continue as:</p>
<form method="post" action="${escaped(action)}">${buttons.join('\n')}</form>`,
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
  const list = (items: readonly string[]) => `<ul>${items.map((item) => `<li>${escaped(item)}</li>`).join('')}</ul>`;
  const target = resources.length === 0 ? '' : ` at${list(resources)}`;
  const rights = scopes.length === 0 ? '' : `<p>With these scopes:</p>${list(scopes)}`;
  const host = redirect && `<p>You are then sent to <b>${escaped(redirect.host)}</b>.</p>`;
  const warning = '<p>That is a program on this computer. Allow it only if you started it yourself.</p>';
  return page(
    'Allow access',
    `<p>Allow <b>${escaped(client)}</b> to act for <b>${escaped(user)}</b>${target}</p>
${rights}
${host ?? ''}${redirect?.isLocal ? warning : ''}
<form method="post" action="${escaped(action)}">
<button name="consent" value="allow">Allow</button>
<button name="consent" value="deny">Deny</button>
</form>`,
  );
}

/** The forms of device pages are those of oidc-provider: they hold its token against forgery. */
export const deviceCodePage = (form: string, failed: boolean): string =>
  page(
    'Connect a device',
    `<p>${failed ? 'This code is not valid. Enter the code that the device shows.' : 'Enter the code that the device shows.'}</p>
${form}
<button form="op.deviceInputForm">Continue</button>`,
  );

export const deviceConfirmPage = (form: string, client: string, code: string): string =>
  page(
    'Connect a device',
    `<p><b>${escaped(client)}</b> shows this code:</p>
<p><code>${escaped(code)}</code></p>
${form}
<button form="op.deviceConfirmForm">Continue</button>
<button form="op.deviceConfirmForm" name="abort" value="yes">This is not my device</button>`,
  );

export const messagePage = (title: string, text: string): string => page(title, `<p>${escaped(text)}</p>`);

export const errorPage = (error: string, text: string): string =>
  page('Something is wrong', `<p><b>${escaped(error)}</b> ${escaped(text)}</p>`);
