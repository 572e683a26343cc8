/** Changes of resources and resource templates. */
import type { Resource, ResourceTemplate } from '../../protocol/generated/types/records.ts';
import { createMatcher } from '../../protocol/uri-template/match.ts';
import { parseUriTemplate } from '../../protocol/uri-template/parse.ts';
import { type ContractChange, quoted } from './change.ts';
import { listChanges, textChanges } from './items.ts';
import type { Both } from './versions.ts';

const texts = ['name', 'title', 'description', 'icons', '_meta'] as const;

export const resourceChanges = (both: Both): ContractChange[] =>
  listChanges<Resource>({
    kind: 'resource',
    before: both.before.resources,
    after: both.after.resources,
    keyOf: ({ uri }) => uri,
    verb: 'read',
    compare: (before, after) => [
      ...typeChange(before, after, 'resource', before.uri),
      ...textChanges({ kind: 'resource', name: before.uri }, [before, after], texts),
    ],
    moved({ uri }) {
      const template = both.after.templates.find(({ uriTemplate }) => matches(uriTemplate, uri));
      if (template === undefined) return undefined;
      const text = `It is not listed any more; the template ${quoted(template.uriTemplate)} has it.`;
      return { kind: 'resource', name: uri, effect: 'review', place: '', text, callers: `read ${quoted(uri)}` };
    },
  });

/** Whether a URI is one of a template. */
export function matches(uriTemplate: string, uri: string): boolean {
  try {
    return createMatcher(parseUriTemplate(uriTemplate))(uri) !== undefined;
  } catch {
    return false;
  }
}

export const templateChanges = (both: Both): ContractChange[] =>
  listChanges<ResourceTemplate>({
    kind: 'template',
    before: both.before.templates,
    after: both.after.templates,
    keyOf: ({ uriTemplate }) => uriTemplate,
    verb: 'read',
    compare: (before, after) => [
      ...typeChange(before, after, 'template', before.uriTemplate),
      ...textChanges({ kind: 'template', name: before.uriTemplate }, [before, after], texts),
    ],
    moved: ({ uriTemplate }, added) => renamedVariables(uriTemplate, added),
  });

/** The same URIs, with other names of variables: callers that fill them in by name are affected. */
function renamedVariables(before: string, added: readonly ResourceTemplate[]): ContractChange | undefined {
  const after = added.find(({ uriTemplate }) => shapeOf(uriTemplate) === shapeOf(before))?.uriTemplate;
  if (after === undefined) return undefined;
  const now = new Set(variablesOf(after));
  const renamed = variablesOf(before).filter((name) => !now.has(name));
  return {
    kind: 'template',
    name: before,
    effect: 'breaks',
    place: '',
    text: `Its variables have other names now: ${quoted(after)}.`,
    callers: `fill in ${renamed.map(quoted).join(', ')}`,
  };
}

const expressions = /\{([+#./;?&]?)([^{}]*)\}/g;

/** Of queries and parameters the names are in the URI. */
const shapeOf = (uriTemplate: string): string =>
  uriTemplate.replace(expressions, (whole, operator: string, names: string) =>
    ';?&'.includes(operator) && operator !== '' ? whole : `{${operator}${names.replace(/[\w.%]+(?=[:*,]|$)/g, '_')}}`,
  );

const variablesOf = (uriTemplate: string): string[] =>
  [...uriTemplate.matchAll(expressions)].flatMap(([, , names = '']) =>
    names.split(',').map((name) => name.replace(/[:*].*$/, '')),
  );

function typeChange(
  before: { readonly mimeType?: string },
  after: { readonly mimeType?: string },
  kind: 'resource' | 'template',
  name: string,
): ContractChange[] {
  if (before.mimeType === after.mimeType) return [];
  const text = `The mimeType is ${after.mimeType ?? 'not given'} now; it was ${before.mimeType ?? 'not given'}.`;
  return [{ kind, name, effect: 'review', place: 'mimeType', text, callers: `read ${quoted(name)}` }];
}
