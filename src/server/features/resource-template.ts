/** A resource template: `resourceTemplate()` defines one, compiling parses it, serving reads a resource that matches it. */

import { TenonError } from '../../lib/errors/tenon-error.ts';
import { isRecord } from '../../lib/values/is.ts';
import { isResource, isResourceTemplate } from '../../protocol/generated/record-checks.ts';
import { expandTemplate } from '../../protocol/uri-template/expand.ts';
import { createMatcher } from '../../protocol/uri-template/match.ts';
import { operators, parseUriTemplate, type UriTemplate } from '../../protocol/uri-template/parse.ts';
import { traversalCheck } from '../../protocol/uri-template/path-variables.ts';
import { checkCache } from '../checks/cache-hint.ts';
import { completers } from '../checks/completers.ts';
import { refused } from '../checks/definition-error.ts';
import { checkArguments, checkFields, checkPositive, checkRecord } from '../checks/definition-fields.ts';
import { notListed } from '../checks/returned-values.ts';
import { checkScopes } from '../checks/scopes.ts';
import type { CompiledTemplate, ListedRecords } from '../definition/compiled.ts';
import type {
  FileRoot,
  ResourceTemplateDefinition,
  ResourceTemplateHandler,
  ResourceTemplateOptions,
} from '../definition/resource.ts';
import { completeArgument } from './completion.ts';
import type { Invocation } from './invocation.ts';
import { readResource } from './resource.ts';

/**
 * Defines the resources whose URIs match a template. The handler gets the variables, typed from the template's text, and
 * returns `undefined` where there is no such resource. Outside of `createServer` write the text as the type argument:
 * `resourceTemplate<'notes://days/{day}'>(…)`.
 *
 * ```ts
 * resourceTemplates: { 'notes://days/{day}': resourceTemplate({}, ({ day }) => notes.get(day)) }
 * ```
 */
export const resourceTemplate = <const Text extends string = string>(
  options: ResourceTemplateOptions<Text>,
  read: ResourceTemplateHandler<Text>,
): ResourceTemplateDefinition<Text> => {
  checkArguments('template', options, read);
  return {
    kind: 'template',
    options,
    handler: read as ResourceTemplateDefinition['handler'],
    compile: compileTemplate,
  };
};

const fields = [
  'name',
  'title',
  'description',
  'mimeType',
  'icons',
  'annotations',
  '_meta',
  'cache',
  'complete',
  'list',
  'paths',
  'timeoutMs',
  'scopes',
] as const satisfies readonly (keyof ResourceTemplateOptions)[];

function compileTemplate(uriTemplate: string, source: ResourceTemplateDefinition): CompiledTemplate<Invocation> {
  const place = `resourceTemplates[${JSON.stringify(uriTemplate)}]`;
  checkFields(place, { ...source.options }, fields);
  const { cache, complete = {}, list, paths, timeoutMs, scopes: ownScopes, ...described } = source.options;
  checkPositive(`${place}.timeoutMs`, timeoutMs);
  checkCache(`${place}.cache`, cache);
  if (list !== undefined && typeof list !== 'function')
    throw refused(`${place}.list is not a function.`, 'Write list: () => [uri, …].');
  const scopes = checkScopes(place, ownScopes);
  const parsed = parseUriTemplate(uriTemplate);
  const record = { ...described, uriTemplate, name: described.name ?? uriTemplate };
  checkRecord(place, record, isResourceTemplate);
  checkPaths(place, paths);
  const match = createMatcher(parsed);
  const climbs = paths === 'raw' ? () => false : traversalCheck(parsed);
  const readsAt = (uri: string): boolean => {
    const variables = match(uri);
    return variables !== undefined && !climbs(variables);
  };
  const root = paths === 'raw' ? undefined : paths;
  const found = completers(place, complete, parsed.names);
  const { handler: read } = source;
  const { mimeType } = described;
  const readable = { mimeType, cache, timeoutMs, scopes, mayBeMissing: true, template: uriTemplate };
  return {
    source,
    record,
    timeoutMs,
    scopes,
    match,
    shape: shapeOf(parsed),
    completes: found.size > 0,
    list: list && (async ({ context }) => listedBy(place, await list(context), readsAt, mimeType)),
    serve: (invocation, variables) =>
      readResource(
        invocation,
        readable,
        () => {
          // After the guard, which decides and records such a read as any other.
          if (climbs(variables)) return undefined;
          const readNow = (): unknown => read(variables as never, invocation.context, invocation.target);
          return root === undefined ? readNow() : readInside(root, invocation.target, readNow);
        },
        variables,
      ),
    complete: (invocation) =>
      completeArgument(invocation, found, timeoutMs, { template: uriTemplate }, (variables) =>
        // With variables that are not chosen yet, a value belongs to no resource.
        parsed.names.every((name) => Object.hasOwn(variables, name)) ? expandTemplate(parsed, variables) : undefined,
      ),
  };
}

/** Throws for what is no resource of the template. */
function listedBy(
  place: string,
  listed: Awaited<ReturnType<NonNullable<ResourceTemplateOptions['list']>>>,
  readsAt: (uri: string) => boolean,
  mimeType: string | undefined,
): ListedRecords {
  const records = listed.map((one) => {
    const { uri, name = uri, ...more } = typeof one === 'string' ? { uri: one } : one;
    return { ...(mimeType !== undefined && { mimeType }), ...more, uri, name };
  });
  for (const record of records) {
    if (!isResource(record)) throw notListed(place, 'an item is not a resource');
    if (!readsAt(record.uri)) throw notListed(place, `${record.uri} does not match the template`);
  }
  return new Map(records.map((record) => [record.uri, { record }]));
}

function checkPaths(place: string, paths: unknown): void {
  if (paths === undefined || paths === 'raw' || (isRecord(paths) && typeof paths.open === 'function')) return;
  throw refused(`${place}.paths is not valid.`, "Write 'raw', or pass createPathRoot('/the/folder').");
}

/** A URI that leads out of the folder, or to no file, is one of no resource. */
async function readInside(root: FileRoot, uri: string, read: () => unknown): Promise<unknown> {
  try {
    const file = await root.open(uri);
    await file.close();
  } catch (error) {
    if (error instanceof TenonError && (error.code === 'path-not-allowed' || error.code === 'file-not-found'))
      return undefined;
    throw error;
  }
  return read();
}

/** The template with numbered variables, except where the name itself is part of the URI. */
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
