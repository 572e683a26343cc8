/** The HTTP targets of connect(): URLs, with or without headers. */

import { TenonError } from '../../lib/errors/tenon-error.ts';
import { has, type Rule } from '../../lib/options/option-rules.ts';
import { isUrl } from '../../lib/text/parse-url.ts';
import { shownAddress } from '../../lib/text/shown-address.ts';
import { isRecord } from '../../lib/values/is.ts';
import type { ClientAuth } from './port/client-auth.ts';

/**
 * A server at a URL.
 * @area client
 * @of the target
 */
export interface HttpTarget {
  /**
   * The URL of the server, `http:` or `https:`.
   * @rule targetUrl
   */
  readonly url: string | URL;
  /**
   * Headers of every request, such as `authorization`. They are never sent to another origin.
   * @default off
   * @rule targetHeaders
   */
  readonly headers?: Readonly<Record<string, string>>;
  /**
   * Gets access tokens for the server and sends them: `oauth({ … })` of `tenon/auth`.
   * @default off
   * @rule targetAuth
   */
  readonly auth?: ClientAuth;
}

export const targetUrl: Rule = {
  holds: (value) => typeof value === 'string' || value instanceof URL,
  must: "be a URL in full, such as 'https://example.com/mcp'",
};

export const targetHeaders: Rule = { holds: isRecord, must: "be an object such as { authorization: 'Bearer …' }" };

export const targetAuth: Rule = {
  holds: (value) => has(value, 'forServer'),
  must: 'be what oauth({ … }) of tenon/auth returns',
};

/** Whether this is a URL, or an object with one. */
export const isHttpTarget = (target: unknown): target is string | URL | HttpTarget =>
  typeof target === 'string' || target instanceof URL || (isRecord(target) && 'url' in target && !('accept' in target));

/** The URL and the headers. Throws `invalid-argument` with a hint. */
export function readHttpTarget(urlOrTarget: string | URL | HttpTarget): {
  url: URL;
  headers: Record<string, string>;
  auth: ClientAuth | undefined;
} {
  const target: HttpTarget =
    typeof urlOrTarget === 'string' || urlOrTarget instanceof URL ? { url: urlOrTarget } : urlOrTarget;
  const url = readUrl(target.url);
  const headers: Record<string, string> = {};
  for (const [name, value] of Object.entries(target.headers ?? {})) {
    if (!token.test(name) || typeof value !== 'string' || !field.test(value))
      throw wrong(
        `headers: ${JSON.stringify(shownName(name))} cannot be sent.`,
        'Use a plain name, and a value without line breaks.',
      );
    headers[name.toLowerCase()] = value;
  }
  // Credentials in a URL end up in logs; in a header they do not.
  if (url.username !== '' || url.password !== '') {
    headers.authorization ??= `Basic ${base64(`${decoded(url.username)}:${decoded(url.password)}`)}`;
    url.username = '';
    url.password = '';
  }
  url.hash = '';
  const { auth } = target;
  if (auth !== undefined && headers.authorization !== undefined)
    throw wrong(
      'connect() has both auth and an authorization header.',
      'Remove headers.authorization, or user and password of the URL, or auth.',
    );
  return { url, headers, auth };
}

/** A whole header in place of the name would show its value. */
const shownName = (name: string): string => name.replace(/[\s:=].*$/s, '…');

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    throw wrong(
      'connect() cannot read user and password in the address: they are not percent-encoded.',
      'Encode them by encodeURIComponent(), or pass headers: { authorization: … }.',
    );
  }
}

const base64 = (text: string): string => btoa(String.fromCharCode(...new TextEncoder().encode(text)));

const token = /^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/;
const field = /^[\t -~\u0080-\u00ff]*$/;

function readUrl(value: unknown): URL {
  const text = value instanceof URL ? value.href : value;
  if (typeof text !== 'string' || !isUrl(text))
    throw wrong(
      `connect() cannot connect to ${typeof text === 'string' ? JSON.stringify(shownAddress(text)) : typeof text}: it is not a URL.`,
      "Write it in full: 'https://example.com/mcp'.",
    );
  const url = new URL(text);
  if (url.protocol !== 'http:' && url.protocol !== 'https:')
    throw wrong(
      `connect() cannot connect to ${shownAddress(text)}: ${url.protocol} is not HTTP.`,
      'Use http: or https:, or pass a command.',
    );
  return url;
}

const wrong = (message: string, hint: string): TenonError => new TenonError('invalid-argument', message, { hint });
