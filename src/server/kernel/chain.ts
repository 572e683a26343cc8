/** Which chain a call passes: that of the server, then those of the mounted servers that what is called comes from. */
import type { Fields, Incoming } from '../../protocol/neutral.ts';
import type { Middleware, MiddlewareCall } from '../definition/middleware.ts';
import { layersOf } from '../registry/layers.ts';
import { type Registry, resourceAt } from '../registry/registry.ts';

/** The whole chain that a call passes: the server's own, then those of the mounts that what is called came by. */
export function chainFor(own: readonly Middleware[], registry: Registry, call: Incoming): readonly Middleware[] {
  if (!registry.layered) return own;
  const passed = new Set<readonly Middleware[]>();
  const inner = concerned(registry, call).flatMap(layersOf);
  const once = inner.filter(({ chain }) => !passed.has(chain) && passed.add(chain));
  return [...own, ...once.flatMap(({ chain, name }) => chain.map((link) => seenFrom(link, name)))];
}

/** On the server that defines it, a thing is called by the name it has there. */
const seenFrom =
  (link: Middleware, name: string | undefined): Middleware =>
  (call, next) =>
    link(name === undefined ? call : renamed(call, name), next);

function renamed({ method, params, context }: MiddlewareCall, name: string): MiddlewareCall {
  if (method !== 'completion/complete') return { method, target: name, params: { ...params, name }, context };
  return { method, target: name, params: { ...params, ref: { ...(params.ref as Fields), name } }, context };
}

interface Thing {
  readonly source: object;
}

/** What a call is about, as it was defined. */
function concerned(registry: Registry, { method, params }: Incoming): readonly object[] {
  const { tools, prompts, templates } = registry;
  const one = (found: Thing | undefined): readonly object[] => (found === undefined ? [] : [found.source]);
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
      return watched(registry, params.uri as string);
    case 'subscriptions/listen': {
      const { resourceSubscriptions = [] } = params.notifications as { resourceSubscriptions?: readonly string[] };
      return resourceSubscriptions.flatMap((uri) => watched(registry, uri));
    }
    default:
      return [];
  }
}

/** Who watches a URI hears of what lies below it. Where it names nothing itself, that may be anything. */
function watched(registry: Registry, uri: string): readonly object[] {
  const found = resourceAt(registry, uri);
  if (found !== undefined) return [found.source];
  return [...registry.resources.values(), ...registry.templates.values()].map(({ source }) => source);
}
