/** The chains of mounted servers: what came by a mount stands behind the middleware of the server it came from. */
import type { Middleware } from '../definition/middleware.ts';

export interface Layer {
  readonly chain: readonly Middleware[];
  /** What the thing is called on that server; absent where it has one name everywhere, as what has a URI. */
  readonly name: string | undefined;
}

const layers = new WeakMap<object, readonly Layer[]>();

/** The same thing behind the same chain is the same copy, so that joining offers again changes nothing. */
const copies = new WeakMap<readonly Middleware[], WeakMap<object, Map<string | undefined, object>>>();

/** A thing as it is offered from behind a chain: the outermost goes first. */
export function behind<T extends object>(chain: readonly Middleware[], thing: T, name: string | undefined): T {
  if (chain.length === 0) return thing;
  const ofChain = copies.get(chain) ?? new WeakMap<object, Map<string | undefined, object>>();
  copies.set(chain, ofChain);
  const ofThing = ofChain.get(thing) ?? new Map<string | undefined, object>();
  ofChain.set(thing, ofThing);
  const copy = ofThing.get(name) ?? { ...thing };
  ofThing.set(name, copy);
  layers.set(copy, [{ chain, name }, ...(layers.get(thing) ?? [])]);
  return copy as T;
}

/** The chains of the mounts that a thing came by, outermost first. */
export const layersOf = (thing: object): readonly Layer[] => layers.get(thing) ?? [];
