/** The answer of the API as the result of a tool. */
import { excerpt } from '../../lib/text/excerpt.ts';
import { masked } from '../../lib/text/secret-text.ts';
import { isRecord } from '../../lib/values/is.ts';
import { toolResult, type WholeResult } from '../../server/definition/returns.ts';
import { isJsonType, type Parameter } from '../schemas/parameters.ts';
import { nextPage } from './next-page.ts';

export interface ResultRules {
  readonly maxResultChars: number;
  readonly parameters: readonly Parameter[];
  /** The URL without credentials. */
  readonly url: URL;
  readonly secrets: readonly string[];
}

/**
 * Characters of an error of the API that a model gets.
 * @limit OpenAPI
 * @beyond the rest is left out
 */
const maxErrorChars = 2000;

export async function resultOf(response: Response, rules: ResultRules): Promise<WholeResult> {
  const mediaType = response.headers.get('content-type') ?? '';
  const bytes = new Uint8Array(await response.arrayBuffer());
  const isText =
    isJsonType(mediaType) ||
    /^text\/|[/+]xml\b|^application\/(?:javascript|x-www-form-urlencoded|yaml)\b|^$/i.test(mediaType);
  const text = isText ? withoutSecrets(new TextDecoder().decode(bytes), rules.secrets) : '';
  if (!response.ok) return failed(response, text);
  if (bytes.length === 0)
    return toolResult({ content: [{ type: 'text', text: `Done (${response.status}, no content).` }] });
  if (!isText) return binary(bytes, mediaType, rules);
  const next = nextPage(withoutSecrets(response.headers.get('link') ?? '', rules.secrets), rules);
  const meta = next && { _meta: { 'tenon/next': next } };
  if (text.length > rules.maxResultChars)
    return toolResult({ content: [{ type: 'text', text: cut(text, rules) }], ...meta });
  const value = isJsonType(mediaType) ? parsed(text) : undefined;
  return toolResult({
    content: [{ type: 'text', text }],
    ...(isRecord(value) && isSendable(value) && { structuredContent: value }),
    ...meta,
  });
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** Levels of a value that a message can carry, beside those of the message itself. */
const maxLevels = 100;

/** No message may have the key `__proto__`, or be deep: the text has the value all the same. */
function isSendable(value: object): boolean {
  let level: readonly object[] = [value];
  for (let n = 0; level.length > 0; n++) {
    if (n > maxLevels || level.some((one) => Object.hasOwn(one, '__proto__'))) return false;
    level = level.flatMap((one) =>
      Object.values(one).filter((member) => typeof member === 'object' && member !== null),
    );
  }
  return true;
}

function failed({ status, statusText, headers }: Response, text: string): WholeResult {
  const wait = headers.get('retry-after');
  const waiting =
    wait === null || !/^[\w ,:+-]{1,40}$/.test(wait)
      ? ''
      : ` It can be tried again after ${wait}${/^\d+$/.test(wait) ? ' s' : ''}.`;
  const named = statusText === '' ? status : `${status} ${excerpt(statusText)}`;
  const body = text.trim() === '' ? '' : `\n${excerpt(text, maxErrorChars)}`;
  return toolResult({
    content: [{ type: 'text', text: `The API refused the request: ${named}.${waiting}${body}` }],
    isError: true,
  });
}

function binary(bytes: Uint8Array, mediaType: string, { url, maxResultChars }: ResultRules): WholeResult {
  const data = Buffer.from(bytes).toString('base64');
  const mimeType = mediaType.split(';')[0]?.trim() ?? 'application/octet-stream';
  if (data.length > maxResultChars)
    return toolResult({
      content: [
        { type: 'text', text: `The result is ${mimeType} of ${bytes.length} bytes, which is too large to be shown.` },
      ],
      isError: true,
    });
  const [kind] = mimeType.split('/');
  if (kind === 'image' || kind === 'audio') return toolResult({ content: [{ type: kind, data, mimeType }] });
  return toolResult({ content: [{ type: 'resource', resource: { uri: url.href, mimeType, blob: data } }] });
}

/** What an API calls the parameters that select a part of a list. */
const pageNames = /^(?:page|per_?page|page_?size|limit|offset|cursor|after|before|first|max_?results|starting_after)$/i;

function cut(text: string, { maxResultChars, parameters }: ResultRules): string {
  const pages = parameters.filter(({ name }) => pageNames.test(name)).map(({ argument }) => argument);
  const advice = pages.length > 0 ? ` Use ${pages.join(', ')} to get less at once.` : '';
  return `${text.slice(0, maxResultChars)}\n… The result was cut: it has ${text.length} characters.${advice}`;
}

/** Shorter texts are found in places where they are no secrets. */
const shortest = 6;

/** Some APIs repeat credentials. Masks each as it is, in JSON, and in a URL. */
function withoutSecrets(text: string, secrets: readonly string[]): string {
  let result = text;
  for (const secret of secrets) {
    if (secret.length < shortest) continue;
    const inJson = JSON.stringify(secret).slice(1, -1);
    for (const form of new Set([secret, inJson, inJson.replaceAll('/', '\\/'), encodeURIComponent(secret)]))
      result = result.replaceAll(form, masked);
  }
  return result;
}
