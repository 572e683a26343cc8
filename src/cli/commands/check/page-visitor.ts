/** Visits pages as a browser without scripts does: cookies of one server, forms, and redirects one by one. */

/**
 * A page that `tenon doctor` visits to check a sign-in.
 * @limit command line
 * @beyond the sign-in is not checked
 */
const visitMs = 10_000;

/**
 * Bytes of such a page.
 * @limit command line
 * @beyond the rest is not read
 */
const maxPageBytes = 256 * 1024;

const maxRedirects = 5;

export interface VisitedPage {
  readonly url: URL;
  readonly status: number;
  readonly headers: Headers;
  readonly html: string;
  /** Where it redirects to. */
  readonly location: URL | undefined;
  /** Its hidden fields. */
  readonly fields: Readonly<Record<string, string>>;
}

/** Cookies are sent to the server that set them first, and to no other. */
export class Visitor {
  readonly #cookies = new Map<string, string>();
  #origin: string | undefined;

  get(url: URL): Promise<VisitedPage> {
    return this.#visit(url, { headers: { accept: 'text/html' } });
  }

  /** As a page of the same server sends its form. */
  post(url: URL, form: Readonly<Record<string, string>>): Promise<VisitedPage> {
    const headers = { accept: 'text/html', origin: url.origin };
    return this.#visit(url, { method: 'POST', headers, body: new URLSearchParams(form) });
  }

  /** Follows redirects within the server. */
  async follow(url: URL): Promise<VisitedPage> {
    let page = await this.get(url);
    for (let count = 0; count < maxRedirects && page.location?.origin === url.origin; count++)
      page = await this.get(page.location);
    return page;
  }

  /** The JSON object that a URL answers, or nothing; an error is nothing, too. A body is posted as JSON. */
  async json(url: string, body?: object): Promise<Readonly<Record<string, unknown>> | undefined> {
    const headers = { accept: 'application/json', ...(body !== undefined && { 'content-type': 'application/json' }) };
    const init = body === undefined ? { headers } : { method: 'POST', headers, body: JSON.stringify(body) };
    try {
      const { status, html: text } = await this.#visit(new URL(url), init);
      const value: unknown = status < 300 ? JSON.parse(text) : undefined;
      return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : undefined;
    } catch {
      return undefined;
    }
  }

  async #visit(url: URL, init: RequestInit & { headers: Record<string, string> }): Promise<VisitedPage> {
    this.#origin ??= url.origin;
    const isOwn = url.origin === this.#origin;
    const cookie = isOwn ? [...this.#cookies].map(([name, value]) => `${name}=${value}`).join('; ') : '';
    const headers = { ...init.headers, ...(cookie !== '' && { cookie }) };
    const response = await fetch(url, { ...init, headers, redirect: 'manual', signal: AbortSignal.timeout(visitMs) });
    if (isOwn) for (const line of response.headers.getSetCookie()) this.#store(line);
    const location = response.headers.get('location');
    const html = await beginningOf(response);
    return {
      url,
      status: response.status,
      headers: response.headers,
      html,
      location: location === null || !URL.canParse(location, url) ? undefined : new URL(location, url),
      fields: hiddenFields(html),
    };
  }

  #store(line: string): void {
    const [, name = '', value = ''] = /^([^=;]+)=([^;]*)/.exec(line) ?? [];
    this.#cookies.set(name, value);
  }
}

async function beginningOf(response: Response): Promise<string> {
  const reader = response.body?.getReader();
  const decoder = new TextDecoder();
  let text = '';
  for (let part = await reader?.read(); part?.done === false; part = await reader?.read()) {
    text += decoder.decode(part.value, { stream: true });
    if (text.length <= maxPageBytes) continue;
    await reader?.cancel();
    break;
  }
  return text.slice(0, maxPageBytes);
}

const attribute = (tag: string, name: string): string => new RegExp(` ${name}="([^"]*)"`).exec(tag)?.[1] ?? '';

const hiddenFields = (html: string): Record<string, string> =>
  Object.fromEntries(
    [...html.matchAll(/<input[^>]*type="hidden"[^>]*>/g)].map(([tag]) => [
      attribute(tag, 'name'),
      attribute(tag, 'value'),
    ]),
  );

const entities: Readonly<Record<string, string>> = {
  '&lt;': '<',
  '&gt;': '>',
  '&quot;': '"',
  '&#39;': "'",
  '&amp;': '&',
};

/** The first sentence or two of a page of `tenon/auth-server`. */
export function textOfPage(html: string): string {
  const [, paragraph = 'The page of the sign-in has no text.'] = /<p[^>]*>([\s\S]*?)<\/p>/.exec(html) ?? [];
  return paragraph
    .replace(/<[^>]*>/g, '')
    .replace(/&(?:lt|gt|quot|amp|#39);/g, (entity) => entities[entity] ?? entity)
    .trim();
}
