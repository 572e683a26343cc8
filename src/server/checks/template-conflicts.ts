/** Rejects templates that match the same URIs. */
import type { CompiledTemplate } from '../definition/compiled.ts';
import { refused } from './definition-error.ts';

/** Two templates of one shape match the same URIs: the second would never be read. */
export function checkShapes(templates: ReadonlyMap<string, CompiledTemplate>): void {
  const seen = new Map<string, string>();
  for (const [uriTemplate, { shape }] of templates) {
    const other = seen.get(shape);
    if (other !== undefined) {
      throw refused(
        `resourceTemplates[${JSON.stringify(uriTemplate)}]: matches the same URIs as ${JSON.stringify(other)}.`,
        'Remove one of the two, or add literal text to one.',
      );
    }
    seen.set(shape, uriTemplate);
  }
}
