/** A browser without pages: cookies with their paths, redirects one by one, and forms. */

export interface Page {
  readonly url: URL;
  readonly status: number;
  readonly headers: Headers;
  readonly html: string;
  /** Where it redirects to. */
  readonly location: URL | undefined;
}

interface Cookie {
  readonly name: string;
  readonly value: string;
  readonly path: string;
}

export class Browser {
  /** Of one host, whatever the port. */
  readonly cookies: Cookie[] = [];
  /** Where requests are sent instead: another node of the same server. */
  base: string | undefined;
  /** The cookies as they were set. */
  readonly headers: string[] = [];

  cookie(name: RegExp): Cookie | undefined {
    return this.cookies.find((cookie) => name.test(cookie.name));
  }

  async get(url: string | URL, headers: Record<string, string> = {}): Promise<Page> {
    return this.#send(new URL(url), { headers });
  }

  /** As the page would send it; `headers` with the value '' are left out. */
  async post(url: string | URL, form: Record<string, string>, headers: Record<string, string> = {}): Promise<Page> {
    const target = new URL(url);
    const all = Object.entries({ origin: target.origin, ...headers }).filter(([, value]) => value !== '');
    return this.#send(target, { method: 'POST', headers: Object.fromEntries(all), body: new URLSearchParams(form) });
  }

  /** Follows redirects within the origin of the first URL; the last page, or the one that redirects elsewhere. */
  async follow(url: string | URL): Promise<Page> {
    let page = await this.get(url);
    for (let hops = 0; page.location?.origin === page.url.origin && hops < 20; hops++)
      page = await this.get(page.location);
    return page;
  }

  async #send(url: URL, init: RequestInit & { headers: Record<string, string> }): Promise<Page> {
    const cookie = this.cookies
      .filter(({ path }) => url.pathname === path || url.pathname.startsWith(path.endsWith('/') ? path : `${path}/`))
      .map(({ name, value }) => `${name}=${value}`)
      .join('; ');
    const target = this.base === undefined ? url : new URL(`${url.pathname}${url.search}`, this.base);
    const response = await fetch(target, {
      ...init,
      redirect: 'manual',
      headers: { accept: 'text/html', ...(cookie !== '' && { cookie }), ...init.headers },
    });
    for (const line of response.headers.getSetCookie()) this.#store(line);
    const location = response.headers.get('location');
    return {
      url,
      status: response.status,
      headers: response.headers,
      html: await response.text(),
      location: location === null ? undefined : new URL(location, url),
    };
  }

  #store(line: string): void {
    this.headers.push(line);
    const [pair = '', ...attributes] = line.split(';').map((part) => part.trim());
    const [name = '', ...rest] = pair.split('=');
    const attribute = (wanted: string): string | undefined =>
      attributes.find((one) => one.toLowerCase().startsWith(`${wanted}=`))?.slice(wanted.length + 1);
    const path = attribute('path') ?? '/';
    const at = this.cookies.findIndex((cookie) => cookie.name === name && cookie.path === path);
    if (at !== -1) this.cookies.splice(at, 1);
    const expires = attribute('expires');
    const isOver = attribute('max-age') === '0' || (expires !== undefined && Date.parse(expires) <= Date.now());
    if (!isOver) this.cookies.push({ name, value: rest.join('='), path });
  }
}

/** The values of the hidden fields of a page. */
export const hiddenFields = (html: string): Record<string, string> =>
  Object.fromEntries(
    [...html.matchAll(/<input[^>]*type="hidden"[^>]*>/g)].map(([tag]) => [
      attribute(tag, 'name'),
      attribute(tag, 'value'),
    ]),
  );

const attribute = (tag: string, name: string): string => new RegExp(` ${name}="([^"]*)"`).exec(tag)?.[1] ?? '';
