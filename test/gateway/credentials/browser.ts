/** A browser of a user: cookies, redirects one at a time, and the forms of the connect page. */
import { expect } from 'vitest';

export interface Answer {
  readonly status: number;
  readonly text: string;
  readonly headers: Headers;
  /** Where it redirects to. */
  readonly location: string | undefined;
}

export class Browser {
  readonly cookies = new Map<string, string>();

  async get(url: string | URL): Promise<Answer> {
    return this.#send(new URL(url), {});
  }

  async post(
    url: string | URL,
    form: Readonly<Record<string, string>>,
    headers: Readonly<Record<string, string>> = {},
  ) {
    const { origin } = new URL(url);
    return this.#send(new URL(url), {
      method: 'POST',
      body: new URLSearchParams(form),
      headers: { origin, ...headers },
    });
  }

  async #send(url: URL, init: RequestInit & { headers?: Readonly<Record<string, string>> }): Promise<Answer> {
    const cookie = [...this.cookies].map(([name, value]) => `${name}=${value}`).join('; ');
    const response = await fetch(url, { ...init, redirect: 'manual', headers: { ...init.headers, cookie } });
    for (const line of response.headers.getSetCookie()) {
      const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(line) ?? [];
      if (/Max-Age=0/.test(line)) this.cookies.delete(name);
      else this.cookies.set(name, value);
    }
    const location = response.headers.get('location');
    return {
      status: response.status,
      text: await response.text(),
      headers: response.headers,
      location: location === null ? undefined : new URL(location, url).href,
    };
  }
}

export const csrfIn = ({ text }: Answer): string => /name="csrf" value="([^"]+)"/.exec(text)?.[1] ?? '';

/** The hidden fields of a form. */
export const formIn = ({ text }: Answer): Readonly<Record<string, string>> =>
  Object.fromEntries(
    [...text.matchAll(/type="hidden" name="([^"]+)" value="([^"]+)"/g)].map(([, name = '', value = '']) => [
      name,
      value,
    ]),
  );

export function locationOf(answer: Answer): string {
  expect([answer.status, answer.text]).toEqual([303, expect.anything()]);
  return answer.location ?? '';
}
