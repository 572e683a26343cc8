/** The URL elicitations that an error names: a user has to complete them before the call can succeed. */
import { isUrl } from '../lib/text/parse-url.ts';
import { isRecord } from '../lib/values/is.ts';

/** A URL elicitation; the server announces its completion by `elicitationId`. */
export interface RequiredUrl {
  readonly mode: 'url';
  /** What the user reads. */
  readonly message: string;
  /** The URL that the user has to open. */
  readonly url: string;
  /** The id by which the server announces the completion. */
  readonly elicitationId: string;
}

/** The URL elicitations in the data of such an error, or `undefined` where there are none or not all of them are valid. */
export function requiredUrls(data: unknown): readonly RequiredUrl[] | undefined {
  const elicitations = isRecord(data) ? data.elicitations : undefined;
  return Array.isArray(elicitations) && elicitations.length > 0 && elicitations.every(isRequiredUrl)
    ? elicitations
    : undefined;
}

const isRequiredUrl = (elicitation: unknown): elicitation is RequiredUrl =>
  isRecord(elicitation) &&
  elicitation.mode === 'url' &&
  typeof elicitation.message === 'string' &&
  typeof elicitation.elicitationId === 'string' &&
  typeof elicitation.url === 'string' &&
  isUrl(elicitation.url);
