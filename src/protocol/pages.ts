/** The pages that an error names which says that a user has to open them before a call. */
import { isUrl } from './addresses.ts';
import { isRecord } from './model/primitives.ts';

/** A page in the words of the protocol, which the server tells the end of by its id. */
export interface RequiredUrl {
  readonly mode: 'url';
  readonly message: string;
  readonly url: string;
  readonly elicitationId: string;
}

/** The pages in the data of such an error, or `undefined` where it has none or anything else beside them. */
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
