/** Signs in without a browser: follows the pages of the server as a person's browser does, cookies included. */
import { TenonError } from '../lib/errors/tenon-error.ts';

/** Who signs in, and whether they allow access. */
export interface VisitOptions {
  /** One of the users. Default: the first. */
  readonly user?: string;
  /** Whether the user denies access. Default false. */
  readonly deny?: boolean;
}

/** More pages than any sign-in has, those that only redirect included. */
const maxPages = 50;

interface Next {
  readonly url: URL;
  readonly body?: URLSearchParams;
}

interface Page {
  readonly url: URL;
  readonly status: number;
  readonly html: string;
  /** Where it redirects to. */
  readonly next?: Next;
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
  let next: Next | undefined = { url: start };
  for (let count = 0; count < maxPages; count++) {
    const page: Page = await load(next, cookies);
    next = page.next ?? formOf(page, { consent: deny ? 'deny' : 'allow', ...(user !== undefined && { user }) });
    if (next === undefined) {
      if (page.status < 400 || deny) return page;
      throw new TenonError('unauthorized', `The sign-in failed at ${page.url.pathname}: ${textOf(page.html)}`);
    }
    // It is not requested: it would get the cookies.
    if (next.url.origin !== issuer) return { url: next.url, status: 200, html: '' };
  }
  const { pathname } = next.url;
  throw new TenonError('unauthorized', `The sign-in has more than ${maxPages} pages: it goes on at ${pathname}.`);
}

/** One page, or where it redirects to. */
async function load({ url, body }: Next, cookies: Map<string, string>): Promise<Page> {
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
  return { url, status: response.status, html, ...(location !== null && { next: { url: new URL(location, url) } }) };
}

/** The form of a page, filled in; `undefined` on the last page, and where a code would have to be entered. */
function formOf({ url, html }: Page, choices: Readonly<Record<string, string>>) {
  const action = /<form[^<>]* action="([^"]*)"/.exec(html)?.[1];
  if (action === undefined || html.includes('op.deviceInputForm')) return undefined;
  const body = new URLSearchParams();
  for (const [tag] of html.matchAll(/<input[^<>]*>/g))
    if (attribute(tag, 'type') === 'hidden') body.set(attribute(tag, 'name'), attribute(tag, 'value'));
  for (const [tag] of html.matchAll(/<button[^<>]*>/g)) {
    const name = attribute(tag, 'name');
    const choice = choices[name] ?? (name === 'user' && !body.has(name) ? attribute(tag, 'value') : undefined);
    if (choice !== undefined) body.set(name, choice);
  }
  return { url: new URL(action.replaceAll('&amp;', '&'), url), body };
}

const attribute = (tag: string, name: string): string => new RegExp(` ${name}="([^"]*)"`).exec(tag)?.[1] ?? '';

const textOf = (html: string): string =>
  html
    .replace(/<style>[^<]*<\/style>|<[^<>]+>/g, ' ')
    .replace(/\s+/g, ' ')
    .trim();
