/** Which URIs a template does not match for safety: what a handler could take for another path. */
import type { TemplateMatcher } from './match.ts';
import type { UriTemplate } from './parse.ts';

/** The names of the variables before the query and the fragment. */
function pathNames({ parts }: UriTemplate): ReadonlySet<string> {
  const names = new Set<string>();
  for (const part of parts) {
    if (typeof part === 'string') {
      if (/[?#]/.test(part)) break;
    } else if (part.operator === '?' || part.operator === '&' || part.operator === '#') break;
    else for (const { name } of part.variables) names.add(name);
  }
  return names;
}

const isFileTemplate = ({ text }: UriTemplate): boolean => /^file:/i.test(text);

/**
 * Matches the same URIs except those with NUL in a variable, and with a segment `.` or `..` or, under `file:`, a
 * backslash in a variable of the path. Values are compared as a handler gets them, so decoded. Query and fragment are data.
 */
export function withoutTraversal(template: UriTemplate, match: TemplateMatcher): TemplateMatcher {
  const inPath = pathNames(template);
  const isFile = isFileTemplate(template);
  const leadsElsewhere = (value: string): boolean =>
    (isFile && value.includes('\\')) || value.split(/[/\\]/).some((segment) => segment === '.' || segment === '..');
  return (uri) => {
    const variables = match(uri);
    if (variables === undefined) return undefined;
    for (const [name, value] of Object.entries(variables))
      if (value.includes('\0') || (inPath.has(name) && leadsElsewhere(value))) return undefined;
    return variables;
  };
}
