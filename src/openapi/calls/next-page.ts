/** The arguments of the next page, from the header `Link: <…>; rel="next"`. */
import { parseUrl } from '../../lib/text/parse-url.ts';
import type { Parameter } from '../schemas/parameters.ts';

/**
 * Characters of a header `Link` that are read.
 * @limit OpenAPI
 * @beyond the rest is ignored
 */
const maxHeader = 4000;

export function nextPage(
  link: string,
  { url, parameters }: { readonly url: URL; readonly parameters: readonly Parameter[] },
): Record<string, unknown> | undefined {
  const found = link
    .slice(0, maxHeader)
    .split(/,(?=\s*<)/)
    .map((one) => /^\s*<([^>]*)>(.*)$/s.exec(one))
    .find((one) => one !== null && isNext(one[2] ?? ''));
  const next = found?.[1] === undefined ? undefined : parseUrl(found[1], url.href);
  if (next === undefined || next.origin !== url.origin) return undefined;
  const query = new Map(parameters.filter((one) => one.in === 'query').map((one) => [one.name, one]));
  const args: [string, unknown][] = [];
  for (const [name, value] of next.searchParams) {
    const parameter = query.get(name);
    if (parameter !== undefined) args.push([parameter.argument, typed(value, parameter.schema)]);
  }
  return args.length === 0 ? undefined : Object.fromEntries(args);
}

/** Whether the parameters of a link have `rel="next"`, maybe beside other relations. */
const isNext = (parameters: string): boolean =>
  parameters.split(';').some((parameter) => {
    const at = parameter.indexOf('=');
    const words = parameter
      .slice(at + 1)
      .replaceAll('"', ' ')
      .toLowerCase()
      .split(/\s/);
    return parameter.slice(0, Math.max(at, 0)).trim().toLowerCase() === 'rel' && words.includes('next');
  });

function typed(value: string, schema: unknown): unknown {
  const { type } = schema as { type?: unknown };
  const isNumber = (type === 'integer' || type === 'number') && /^-?\d{1,15}(?:\.\d{1,10})?$/.test(value);
  return isNumber ? Number(value) : value;
}
