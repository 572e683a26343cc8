/** Changes of resources and resource templates. */
import type { Resource, ResourceTemplate } from '../../protocol/generated/types/records.ts';
import { createMatcher, type TemplateMatcher } from '../../protocol/uri-template/match.ts';
import { parseUriTemplate } from '../../protocol/uri-template/parse.ts';
import { type ContractChange, quoted } from './change.ts';
import { firstOf, listChanges, type Move, textChanges } from './items.ts';
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
    moved() {
      const templates = both.after.templates
        .slice(0, maxMatched)

        .map(({ uriTemplate }) => ({ uriTemplate, match: matcherOf(uriTemplate) }));
      return ({ uri }) => {
        const template = templates.find(({ match }) => match?.(uri) !== undefined);
        if (template === undefined) return undefined;
        const text = `It is not listed any more; the template ${quoted(template.uriTemplate)} has it.`;
        const change = { kind: 'resource', name: uri, effect: 'review', place: '', text } as const;
        return { change: { ...change, callers: `read ${quoted(uri)}` } };
      };
    },
  });

/** Templates that a removed resource is looked for in: a server may list any number. */
const maxMatched = 1000;

/** Reads the URIs of a template; absent if it has no matcher. */
export function matcherOf(uriTemplate: string): TemplateMatcher | undefined {
  try {
    return createMatcher(parseUriTemplate(uriTemplate));
  } catch {
    return undefined;
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
    moved(added) {
      const shapes = firstOf(
        added,
        ({ uriTemplate }) => shapeOf(uriTemplate),
        ({ uriTemplate }) => uriTemplate,
      );
      return ({ uriTemplate }) => renamedVariables(uriTemplate, shapes.get(shapeOf(uriTemplate)));
    },
  });

/** The same URIs, with other names of variables: callers that fill them in by name are affected. */
function renamedVariables(before: string, after: string | undefined): Move | undefined {
  if (after === undefined) return undefined;
  const now = new Set(variablesOf(after));
  const renamed = variablesOf(before).filter((name) => !now.has(name));
  const change = {
    kind: 'template',
    name: before,
    effect: 'breaks',
    place: '',
    text: `Its variables have other names now: ${quoted(after)}.`,
    callers: `fill in ${renamed.map(quoted).join(', ')}`,
  } as const;
  return { change, taken: after };
}

const expressions = /\{([+#./;?&]?)([^{}]*)\}/g;

/** Of queries and parameters the names are in the URI. */
const shapeOf = (uriTemplate: string): string =>
  uriTemplate.replace(expressions, (whole, operator: string, names: string) => {
    if (';?&'.includes(operator) && operator !== '') return whole;
    const unnamed = names.split(',').map((one) => {
      const [name, modifier] = parts(one);
      return (/^[\w.%]+$/.test(name) ? '_' : name) + modifier;
    });
    return `{${operator}${unnamed.join(',')}}`;
  });

const variablesOf = (uriTemplate: string): string[] =>
  [...uriTemplate.matchAll(expressions)].flatMap(([, , names = '']) => names.split(',').map((one) => parts(one)[0]));

/** A variable and its modifier. */
function parts(variable: string): readonly [name: string, modifier: string] {
  const at = variable.search(/[:*]/);
  return at === -1 ? [variable, ''] : [variable.slice(0, at), variable.slice(at)];
}

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
