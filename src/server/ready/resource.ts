/** Resources and templates made ready: URIs checked, templates compiled, records written. */
import { TenonError } from '../../jsonrpc/errors.ts';
import { isResource, isResourceTemplate } from '../../protocol/generated/record-checks.ts';
import type { CacheHint, Fields } from '../../protocol/neutral.ts';
import { createMatcher, type TemplateMatcher } from '../../protocol/uri-template/match.ts';
import { parseTemplate } from '../../protocol/uri-template/parse.ts';
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
    complete: completers(place, complete, parsed.names),
    read: source.read,
  };
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
