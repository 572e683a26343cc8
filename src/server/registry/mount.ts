/** Joins a server's own features with those it mounts, in values and in types; mounted features run behind their own middleware. */
import { TenonError } from '../../lib/errors/tenon-error.ts';
import { refused } from '../checks/definition-error.ts';
import type { Middleware } from '../definition/middleware.ts';
import type { Mounts, ServerFeatures } from '../definition/server.ts';

type Prefixed<Prefix extends string, Items> = {
  readonly [Name in keyof Items & string as `${Prefix}_${Name}`]: Items[Name];
};

type All<Union> = (Union extends unknown ? (one: Union) => void : never) extends (all: infer Every) => void
  ? Every
  : never;

type Mounted<M extends Mounts, Kind extends 'tools' | 'prompts'> = All<
  { [Prefix in keyof M & string]: Prefixed<Prefix, NonNullable<M[Prefix]['features'][Kind]>> }[keyof M & string]
>;

/** The tools or prompts of a server with those it mounts, under their prefixes. */
export type MountedFeatures<Own, M extends Mounts, Kind extends 'tools' | 'prompts'> = [keyof M] extends [never]
  ? Own
  : (string extends keyof Own ? unknown : Own) & Mounted<M, Kind>;

/** Names get the prefix; URIs stay the same. */
const renamed = {
  tools: (prefix: string, name: string) => `${prefix}_${name}`,
  prompts: (prefix: string, name: string) => `${prefix}_${name}`,
  resources: (_: string, uri: string) => uri,
  resourceTemplates: (_: string, uriTemplate: string) => uriTemplate,
} as const satisfies Record<keyof ServerFeatures, (prefix: string, name: string) => string>;

const kinds = Object.keys(renamed) as (keyof ServerFeatures)[];

/** The features of one mounted server. */
export interface MountedOffer {
  readonly prefix: string;
  readonly offer: ServerFeatures;
  readonly middleware: readonly Middleware[];
}

/** All features, with the mounted ones. Throws `invalid-definition` if two would have the same name. */
export function joinOffers<D extends ServerFeatures>(own: D, mounted: readonly MountedOffer[]): D {
  if (mounted.length === 0) return own;
  for (const { prefix } of mounted) checkPrefix(prefix);
  const lists = kinds.flatMap((kind) => {
    const isNamed = own[kind] !== undefined || mounted.some(({ offer }) => offer[kind] !== undefined);
    return isNamed ? [[kind, joinList(kind, own, mounted)]] : [];
  });
  return { ...own, ...Object.fromEntries(lists) };
}

/** A feature, and its place in the definition. */
interface Placed {
  readonly feature: object;
  readonly place: string;
}

/** The same feature behind the same middleware may come from several mounts: it is offered once. */
function joinList(
  kind: keyof ServerFeatures,
  own: ServerFeatures,
  mounted: readonly MountedOffer[],
): Record<string, unknown> {
  const all = new Map<string, Placed>();
  for (const [name, feature] of Object.entries(own[kind] ?? {})) all.set(name, { feature, place: kind });
  for (const { prefix, offer, middleware } of mounted) {
    const place = `mounts.${prefix}`;
    for (const [name, bare] of Object.entries(offer[kind] ?? {})) {
      const joined = renamed[kind](prefix, name);
      const feature = behindChain(middleware, bare, joined === name ? undefined : name);
      const there = all.get(joined);
      if (there === undefined) all.set(joined, { feature, place });
      else if (there.feature !== feature) throw clash(kind, joined, there.place, place);
    }
  }
  return Object.fromEntries([...all].map(([name, { feature }]) => [name, feature]));
}

function checkPrefix(prefix: string): void {
  if (/^[\w.-]+$/.test(prefix)) return;
  throw refused(
    `mounts[${JSON.stringify(prefix)}]: the prefix is not allowed.`,
    'Use letters, digits, dots, dashes or underscores.',
  );
}

const clash = (kind: keyof ServerFeatures, name: string, there: string, place: string): TenonError =>
  new TenonError(
    'invalid-definition',
    `${place}: ${kind}[${JSON.stringify(name)}] exists already: it comes from ${there}.`,
    {
      hint:
        kind === 'tools' || kind === 'prompts'
          ? 'Rename one of the two, or choose another prefix.'
          : 'Mounted resources keep their URIs. Change one of the two.',
      details: { kind, name, places: [there, place] },
    },
  );

/** The middleware of a mounted server, around one of its features. */
export interface MountChain {
  readonly chain: readonly Middleware[];
  /** The name of the feature on that server; absent for a URI, which is the same everywhere. */
  readonly name: string | undefined;
}

const mountChains = new WeakMap<object, readonly MountChain[]>();

/** One copy for each feature behind each chain, so that joining again changes nothing. */
const copies = new WeakMap<readonly Middleware[], WeakMap<object, Map<string | undefined, object>>>();

/** A copy of a feature that runs behind a chain, the outermost middleware first. */
function behindChain<T extends object>(chain: readonly Middleware[], feature: T, name: string | undefined): T {
  if (chain.length === 0) return feature;
  const ofChain = copies.get(chain) ?? new WeakMap<object, Map<string | undefined, object>>();
  copies.set(chain, ofChain);
  const ofFeature = ofChain.get(feature) ?? new Map<string | undefined, object>();
  ofChain.set(feature, ofFeature);
  const copy = ofFeature.get(name) ?? { ...feature };
  ofFeature.set(name, copy);
  mountChains.set(copy, [{ chain, name }, ...mountChainsOf(feature)]);
  return copy as T;
}

/** The chains of the mounts that a feature comes from, outermost first. */
export const mountChainsOf = (feature: object): readonly MountChain[] => mountChains.get(feature) ?? [];
