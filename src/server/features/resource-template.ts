/** A template of resources: `template()` defines one, compiling parses it, serving reads the resource that a URI names. */

import { isResourceTemplate } from '../../protocol/generated/record-checks.ts';
import { createMatcher } from '../../protocol/uri-template/match.ts';
import { operators, parseTemplate, type UriTemplate } from '../../protocol/uri-template/parse.ts';
import { checkCache } from '../checks/cache-hint.ts';
import { completers } from '../checks/completers.ts';
import { checkPositive, checkRecord } from '../checks/definition-fields.ts';
import type { CompiledTemplate } from '../definition/compiled.ts';
import type { Template, TemplateFacts } from '../definition/resource.ts';
import { completeArgument } from './completion.ts';
import type { Invocation } from './invocation.ts';
import { readResource } from './resource.ts';

/** Defines a family of resources by a URI template. A reader that gives `undefined` says there is no such resource. */
export const template = (facts: TemplateFacts, read: Template['read']): Template => ({
  kind: 'template',
  facts,
  read,
  compile: compileTemplate,
});

function compileTemplate(uriTemplate: string, source: Template): CompiledTemplate<Invocation> {
  const place = `templates[${JSON.stringify(uriTemplate)}]`;
  const { cache, complete = {}, timeoutMs, ...described } = source.facts;
  checkPositive(`${place}.timeoutMs`, timeoutMs);
  checkCache(`${place}.cache`, cache);
  const parsed = parseTemplate(uriTemplate);
  const record = { ...described, uriTemplate, name: described.name ?? uriTemplate };
  checkRecord(place, record, isResourceTemplate);
  const match = createMatcher(parsed);
  const found = completers(place, complete, parsed.names);
  const { read } = source;
  const readable = { mimeType: described.mimeType, cache, timeoutMs, mayBeMissing: true };
  return {
    source,
    record,
    timeoutMs,
    match,
    shape: shapeOf(parsed),
    completes: found.size > 0,
    serve: (invocation, variables) =>
      readResource(invocation, readable, () => read(variables, invocation.context, invocation.target)),
    complete: (invocation) => completeArgument(invocation, found, timeoutMs),
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
