/** Resources and templates made ready: URIs checked, templates compiled, records written. */
import { TenonError } from '../../jsonrpc/errors.ts';
import { isResource, isResourceTemplate } from '../../protocol/generated/record-checks.ts';
import type { CacheHint, Fields } from '../../protocol/neutral.ts';
import { createMatcher, type TemplateMatcher } from '../../protocol/uri-template/match.ts';
import { operators, parseTemplate, type UriTemplate } from '../../protocol/uri-template/parse.ts';
import type { Completer, Resource, Template } from '../definition/resource.ts';
import { checkCache } from './cache.ts';
import { checkDefined, checkRecord } from './soundness.ts';

export interface ReadyResource {
  readonly source: Resource;
  readonly record: Fields;
  readonly cache: CacheHint | undefined;
  readonly read: Resource['read'];
}

export interface ReadyTemplate {
  readonly source: Template;
  readonly record: Fields;
  readonly cache: CacheHint | undefined;
  readonly match: TemplateMatcher;
  /** The same for two templates that differ in the names of their variables only. */
  readonly shape: string;
  readonly complete: ReadonlyMap<string, Completer>;
  readonly read: Template['read'];
}

/** A scheme, then none of the characters that stand in no URI: the URL parser would take them and change them. */
const uriShape = /^[a-z][a-z\d+.-]*:[^\s<>"{}|\\^`\p{Cc}]*$/iu;

export function readyResource(uri: string, source: Resource): ReadyResource {
  if (!uriShape.test(uri) || !URL.canParse(uri)) {
    throw new TenonError('invalid-definition', `resources[${JSON.stringify(uri)}]: not a URI.`, {
      hint: 'Begin it with a scheme, such as notes://today, and encode spaces as %20.',
    });
  }
  const place = `resources[${JSON.stringify(uri)}]`;
  checkDefined(place, source, 'resource', 'read');
  const { cache, ...described } = source.facts;
  checkCache(`${place}.cache`, cache);
  const record = { ...described, uri, name: described.name ?? uri };
  checkRecord(place, record, isResource);
  return { source, record, cache, read: source.read };
}

export function readyTemplate(uriTemplate: string, source: Template): ReadyTemplate {
  const place = `templates[${JSON.stringify(uriTemplate)}]`;
  checkDefined(place, source, 'template', 'read');
  const { cache, complete = {}, ...described } = source.facts;
  checkCache(`${place}.cache`, cache);
  const parsed = parseTemplate(uriTemplate);
  const record = { ...described, uriTemplate, name: described.name ?? uriTemplate };
  checkRecord(place, record, isResourceTemplate);
  return {
    source,
    record,
    cache,
    match: createMatcher(parsed),
    shape: shapeOf(parsed),
    complete: completers(place, complete, parsed.names),
    read: source.read,
  };
}

/** Variables by number instead of name, except where the name itself stands in the URI. */
function shapeOf({ parts, names }: UriTemplate): string {
  const written = parts.map((part) => {
    if (typeof part === 'string') return part;
    const { named } = operators[part.operator];
    const variables = part.variables.map(
      ({ name, modifier }) => `${named ? name : names.indexOf(name)}${modifier === '' ? '' : `:${modifier}`}`,
    );
    return `{${part.operator}${variables.join(',')}}`;
  });
  return written.join('');
}

/** Two templates of one shape match the same URIs: the second would never be read. */
export function checkShapes(templates: ReadonlyMap<string, ReadyTemplate>): void {
  const seen = new Map<string, string>();
  for (const [uriTemplate, { shape }] of templates) {
    const other = seen.get(shape);
    if (other !== undefined) {
      throw new TenonError(
        'invalid-definition',
        `templates[${JSON.stringify(uriTemplate)}]: matches the same URIs as ${JSON.stringify(other)}.`,
        { hint: 'Keep one of the two, or tell them apart by literal text.' },
      );
    }
    seen.set(shape, uriTemplate);
  }
}

/** Completers by argument; one for an argument that does not exist could never be asked. */
export function completers(
  place: string,
  complete: Readonly<Record<string, Completer>>,
  names: Iterable<string>,
): ReadonlyMap<string, Completer> {
  const known = [...names];
  for (const name of Object.keys(complete)) {
    if (known.includes(name)) continue;
    throw new TenonError('invalid-definition', `${place}.complete.${name}: there is no argument of this name.`, {
      hint: `The arguments are ${known.join(', ') || 'none'}.`,
    });
  }
  return new Map(Object.entries(complete));
}
