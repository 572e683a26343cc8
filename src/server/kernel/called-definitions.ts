/** The definitions that a call uses: it runs inside the middleware of their mounts, and needs their scopes. */

import type { Fields } from '../../lib/values/is.ts';
import type { Incoming } from '../../protocol/neutral.ts';
import type { Compiled } from '../definition/compiled.ts';
import { type Registry, resourceAt } from '../registry/registry.ts';

type CalledDefinition = Pick<Compiled, 'source' | 'scopes'>;

export function calledDefinitions(registry: Registry, { method, params }: Incoming): readonly CalledDefinition[] {
  const { tools, prompts, templates } = registry;
  const one = (found: CalledDefinition | undefined): readonly CalledDefinition[] =>
    found === undefined ? [] : [found];
  switch (method) {
    case 'tools/call':
      return one(tools.get(params.name as string));
    case 'prompts/get':
      return one(prompts.get(params.name as string));
    case 'completion/complete': {
      const { type, name, uri } = params.ref as Fields;
      return one(type === 'ref/prompt' ? prompts.get(name as string) : templates.get(uri as string));
    }
    case 'resources/read':
      return one(resourceAt(registry, params.uri as string));
    case 'resources/subscribe':
    case 'resources/unsubscribe':
      return watched(registry, [params.uri as string]);
    case 'subscriptions/listen': {
      const { resourceSubscriptions = [] } = params.notifications as { resourceSubscriptions?: readonly string[] };
      return watched(registry, resourceSubscriptions);
    }
    default:
      return [];
  }
}

/** A client that subscribes to a URI is notified of resources below it. If the URI names no resource, that may be any of them. */
function watched(registry: Registry, uris: readonly string[]): readonly CalledDefinition[] {
  const found = new Set<CalledDefinition>();
  for (const uri of uris) {
    const one = resourceAt(registry, uri);
    if (one === undefined) return [...registry.resources.values(), ...registry.templates.values()];
    found.add(one);
  }
  return [...found];
}
