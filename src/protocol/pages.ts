/** The URL elicitations that an error names: a user has to complete them before the call can succeed. */
import { isUrl } from './addresses.ts';
import { isRecord } from './model/primitives.ts';

/** A URL elicitation; the server announces its completion by `elicitationId`. */
export interface RequiredUrl {
  readonly mode: 'url';
  /** Why the user should open the URL. */
  readonly message: string;
  /** The URL to open, after the user has agreed. */
  readonly url: string;
  /** Identifies the elicitation in the notification of its completion. */
  readonly elicitationId: string;
}

/** The URL elicitations in the data of such an error, or `undefined` where there are none or not all of them are valid. */
export function requiredPages(data: unknown): readonly RequiredUrl[] | undefined {
  const pages = isRecord(data) ? data.elicitations : undefined;
  return Array.isArray(pages) && pages.length > 0 && pages.every(isPage) ? pages : undefined;
}

const isPage = (page: unknown): page is RequiredUrl =>
  isRecord(page) &&
  page.mode === 'url' &&
  typeof page.message === 'string' &&
  typeof page.elicitationId === 'string' &&
  typeof page.url === 'string' &&
  isUrl(page.url);
