/** Which URIs of a template no handler gets, for safety: what it could take for another path. */
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
 * Whether values of a template's variables name another path: NUL in any of them, and in those of the path a segment `.` or
 * `..` or, under `file:`, a backslash. Values are compared as a handler gets them, so decoded. Query and fragment are data.
 */
export function traversalCheck(template: UriTemplate): (variables: Readonly<Record<string, string>>) => boolean {
  const inPath = pathNames(template);
  const isFile = isFileTemplate(template);
  const climbs = (value: string): boolean =>
    (isFile && value.includes('\\')) || value.split(/[/\\]/).some((segment) => segment === '.' || segment === '..');
  return (variables) =>
    Object.entries(variables).some(([name, value]) => value.includes('\0') || (inPath.has(name) && climbs(value)));
}
