/** Signs in without a browser: follows the pages of the server as a person's browser does, cookies included. */
import { TenonError } from '../lib/errors/tenon-error.ts';

/** Who signs in, and whether they allow access. */
export interface VisitOptions {
  /** One of the users. Default: the first. */
  readonly user?: string;
  /** Whether the user denies access. Default false. */
  readonly deny?: boolean;
}

/** More pages than any sign-in has. */
const maxPages = 20;

interface Page {
  readonly url: URL;
  readonly status: number;
  readonly html: string;
}

/**
 * Signs a user in at a development authorization server of another process, without a browser: follows an authorization
 * URL through the pages, and resolves to the redirect address with the code. Request it, and the client has its tokens.
 *
 * ```ts
 * const signIn = terminalSignIn({ openBrowser: false, onUrl: async (url) => void fetch(await signInAtDevAuth(url)) });
 * ```
 */
export async function signInAtDevAuth(authorizationUrl: string | URL, options: VisitOptions = {}): Promise<URL> {
  const start = new URL(authorizationUrl);
  const { url } = await visit(start.origin, start, options.user, options);
  if (url.origin !== start.origin) return url;
  throw new TenonError('unauthorized', 'The sign-in ended without a redirect to the client.');
}

/** Visits a page of the server at `issuer`, and submits its forms until the server is done or redirects elsewhere. */
export async function visit(
  issuer: string,
  start: URL,
  user: string | undefined,
  { deny = false }: VisitOptions,
): Promise<Page> {
  const cookies = new Map<string, string>();
  let next: { readonly url: URL; readonly body?: URLSearchParams } | undefined = { url: start };
  let page: Page | undefined;
  for (let count = 0; next !== undefined && count < maxPages; count++) {
    page = await load(next.url, next.body, cookies);
    if (page.url.origin !== issuer) return page;
    next = formOf(page, { consent: deny ? 'deny' : 'allow', ...(user !== undefined && { user }) });
  }
  const isRefused = page !== undefined && page.status >= 400 && !deny;
  if (page === undefined || isRefused || next !== undefined)
    throw new TenonError('unauthorized', `The sign-in failed at ${page?.url.pathname}: ${textOf(page?.html ?? '')}`);
  return page;
}

/** Follows redirects inside the server. One that leads elsewhere is not requested. */
async function load(url: URL, body: URLSearchParams | undefined, cookies: Map<string, string>): Promise<Page> {
  const cookie = [...cookies].map(([name, value]) => `${name}=${value}`).join('; ');
  const response = await fetch(url, {
    method: body === undefined ? 'GET' : 'POST',
    redirect: 'manual',
    headers: { cookie, accept: 'text/html' },
    ...(body === undefined ? {} : { body }),
  });
  for (const line of response.headers.getSetCookie()) {
    const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(line) ?? [];
    cookies.set(name, value);
  }
  const location = response.headers.get('location');
  const html = await response.text();
  if (location === null) return { url, status: response.status, html };
  const target = new URL(location, url);
  return target.origin === url.origin ? load(target, undefined, cookies) : { url: target, status: 200, html: '' };
}

/** The form of a page, filled in; `undefined` on the last page, and where a code would have to be entered. */
function formOf({ url, html }: Page, choices: Readonly<Record<string, string>>) {
  const action = /<form[^>]* action="([^"]*)"/.exec(html)?.[1];
  if (action === undefined || html.includes('op.deviceInputForm')) return undefined;
  const body = new URLSearchParams();
  for (const [tag] of html.matchAll(/<input[^>]*type="hidden"[^>]*>/g))
    body.set(attribute(tag, 'name'), attribute(tag, 'value'));
  for (const [tag] of html.matchAll(/<button[^>]* name="[^>]*>/g)) {
    const name = attribute(tag, 'name');
    const choice = choices[name] ?? (name === 'user' && !body.has(name) ? attribute(tag, 'value') : undefined);
    if (choice !== undefined) body.set(name, choice);
  }
  return { url: new URL(action.replaceAll('&amp;', '&'), url), body };
}

const attribute = (tag: string, name: string): string => new RegExp(` ${name}="([^"]*)"`).exec(tag)?.[1] ?? '';

const textOf = (html: string): string =>
  html
    .replace(/<style[\s\S]*?<\/style>|<[^>]+>/g, ' ')
    .replace(/\s+/g, ' ')
    .trim();
