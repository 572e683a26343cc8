/** Which URIs would hold up a server of the official SDK: it compares them with templates by regular expressions. */
import { parseUrl } from '../../lib/text/parse-url.ts';
import { rpcError } from '../../protocol/errors.ts';
import { parseUriTemplate, type UriTemplate } from '../../protocol/uri-template/parse.ts';

/**
 * Steps in which the official SDK compares a URI with one of its templates. It takes a power of the length of the URI, with as
 * many variables between two slashes as exponent.
 * @limit official
 * @beyond the request is rejected
 * @code invalid-params
 */
export const maxMatchSteps = 20_000_000;

/** The templates of all instances of a server: it compares a URI with all of them, whichever it is for. */
export class CostlyTemplates {
  readonly #max: number;
  readonly #templates = new Map<string, CostlyTemplate>();

  constructor(max: number) {
    this.#max = max;
  }

  /** One that is not valid is left out of the list. */
  add(uriTemplate: string): void {
    if (this.#templates.has(uriTemplate)) return;
    const costly = costOf(uriTemplate);
    if (costly === undefined) return;
    this.#templates.set(uriTemplate, costly);
    const [oldest] = this.#templates.keys();
    if (this.#templates.size > this.#max && oldest !== undefined) this.#templates.delete(oldest);
  }

  /** Throws if one of them takes too long for a URI. */
  check(uri: string): void {
    if (isTooCostly(this.#templates.values(), uri))
      throw rpcError('invalid-params', 'The URI is too long for a template of several variables between two slashes');
  }
}

function costOf(uriTemplate: string): CostlyTemplate | undefined {
  try {
    return costlyTemplate(parseUriTemplate(uriTemplate));
  } catch {
    return undefined;
  }
}

/** The URIs that begin so are compared in too many steps if they are longer. */
export interface CostlyTemplate {
  readonly prefix: string;
  readonly maxChars: number;
}

/** Nothing for a template with one variable between two slashes. */
export function costlyTemplate({ parts }: UriTemplate): CostlyTemplate | undefined {
  const [first] = parts;
  const exponent = variablesTogether(parts);
  if (exponent < 2) return undefined;
  return { prefix: typeof first === 'string' ? first : '', maxChars: longestWithin(exponent) };
}

/** Whether one of the templates takes too long for a URI, which the SDK reads with `URL`. */
export function isTooCostly(templates: Iterable<CostlyTemplate>, uri: string): boolean {
  const read = parseUrl(uri)?.href ?? uri;
  for (const { prefix, maxChars } of templates)
    if (read.length - prefix.length > maxChars && read.startsWith(prefix)) return true;
  return false;
}

/** How many variables may take the same character: a slash ends all of them but those that may contain it. */
function variablesTogether(parts: UriTemplate['parts']): number {
  let [open, reserved, most] = [0, 0, 0];
  for (const part of parts) {
    const isLiteral = typeof part === 'string';
    if (isLiteral ? part.includes('/') : part.operator === '/') open = 0;
    if (isLiteral) continue;
    if (part.operator === '+' || part.operator === '#') reserved++;
    else open += part.operator === '?' || part.operator === '&' ? part.variables.length : 1;
    most = Math.max(most, open + reserved);
  }
  return most;
}

/** The longest text that can be divided between so many variables in `maxMatchSteps` ways. */
function longestWithin(variables: number): number {
  let ways = maxMatchSteps;
  for (let n = 2; n <= variables; n++) ways *= n;
  return Math.floor(ways ** (1 / variables));
}
