/** The operations of a document, in its order. */
import { isRecord } from '../../lib/values/is.ts';
import { entriesOf, listOf, type ReadDocument, resolved, Unusable } from '../document/document.ts';
import type { FoundOperation, Method, OmittedOperation } from './operation.ts';

const served = new Set(['get', 'post', 'put', 'patch', 'delete']);
const notServed = new Set(['head', 'options', 'trace']);

export interface Operations {
  readonly found: readonly FoundOperation[];
  readonly omitted: readonly OmittedOperation[];
}

export function findOperations(document: ReadDocument): Operations {
  const found: FoundOperation[] = [];
  const omitted: OmittedOperation[] = [];
  for (const [path, given] of entriesOf(document.root.paths)) {
    if (path.startsWith('x-')) continue;
    const item = pathItem(document, given);
    if (item instanceof Unusable) {
      omitted.push({ operation: { id: undefined, method: '', path, tags: [] }, reason: item.message });
      continue;
    }
    for (const [method, source] of entriesOf(item)) {
      if (!(served.has(method) || notServed.has(method)) || !isRecord(source)) continue;
      const id = typeof source.operationId === 'string' && source.operationId !== '' ? source.operationId : undefined;
      const tags = listOf(source.tags).filter((tag) => typeof tag === 'string');
      const named = { id, method, path, tags };
      if (notServed.has(method)) {
        omitted.push({ operation: named, reason: `${method.toUpperCase()} has no result for a model` });
        continue;
      }
      found.push({
        ...named,
        method: method as Method,
        source,
        parameters: [...listOf(item.parameters), ...listOf(source.parameters)],
        servers: source.servers ?? item.servers,
        security: source.security ?? document.root.security,
      });
    }
  }
  return { found, omitted };
}

/** A path may refer to another, and have members of its own beside the reference. */
function pathItem(document: ReadDocument, given: unknown) {
  try {
    const item = resolved(document, given);
    return isRecord(given) && item !== given ? { ...item, ...given } : item;
  } catch (error) {
    if (error instanceof Unusable) return error;
    throw error;
  }
}
