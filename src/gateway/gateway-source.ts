/** The source of the features of a gateway: those of its upstreams, for each caller its own. */

import { originOf } from '../host/lists/names.ts';
import { RpcError } from '../jsonrpc/errors.ts';
import { shown } from '../lib/text/shown.ts';
import type { Deadlines } from '../lib/time/deadlines.ts';
import { isPromiseLike, isRecord } from '../lib/values/is.ts';
import type { MaybePromise } from '../lib/values/maybe-promise.ts';
import { rpcError } from '../protocol/errors.ts';
import type { SubscriptionFilter } from '../protocol/generated/types/records.ts';
import type { Incoming } from '../protocol/neutral.ts';
import type { FeatureSource, SourceSubscription, SourceTasks } from '../server/kernel/feature-source.ts';
import type { SourceCaller } from '../server/ports/source-caller.ts';
import type { ChangeReceiver } from '../server/ports/source-session.ts';
import type { Registry } from '../server/registry/registry.ts';
import type { Store } from '../store/store.ts';
import { calledTool } from './calls/called-tool.ts';
import { callerError } from './calls/errors.ts';
import type { RequiredAccounts } from './calls/required-accounts.ts';
import { mergedRegistry, type RegistryPart } from './catalogue/caller-registry.ts';
import type { Catalogue } from './catalogue/catalogue.ts';
import { HeldLists } from './catalogue/held-lists.ts';
import type { SearchTools } from './catalogue/search-tools.ts';
import { upstreamIn } from './catalogue/uris.ts';
import type { OtherNodes } from './nodes/other-nodes.ts';
import type { Upstream } from './upstream.ts';
import type { UpstreamSet } from './upstream-set.ts';
import { Watches } from './watches.ts';

export interface SourcePorts {
  readonly set: UpstreamSet;
  readonly required: RequiredAccounts;
  readonly others: OtherNodes;
  /** The features of the definition. */
  base(): Registry;
  readonly deadlines: Deadlines;
  /** How long a list waits for upstreams, of which there are several. */
  readonly listMs: number;
  /** Set if callers find tools instead of listing all. */
  readonly search: SearchTools | undefined;
  dropped(method: string, reason: string): void;
}

/** Methods for which no features are looked up. */
const withoutFeatures = /^(ping$|logging\/|tasks\/)/;

/** Registries of callers that are remembered: most have the same. */
const maxRegistries = 256;

interface RememberedRegistry {
  readonly registry: Registry;
  readonly lists: readonly Catalogue[];
}

export class GatewaySource implements FeatureSource {
  readonly #ports: SourcePorts;
  readonly #watches: Watches;
  readonly #registries = new Map<string, RememberedRegistry>();
  readonly #held = new HeldLists();
  /** Numbers for what a registry is made of. */
  readonly #numbers = new WeakMap<object, number>();
  #nextNumber = 0;
  readonly #leftOut = new Set<string>();

  constructor(ports: SourcePorts) {
    this.#ports = ports;
    const { deadlines, dropped } = ports;
    this.#watches = new Watches({ deadlines, dropped, upstreamOf: (uri) => this.#upstreamOf(uri) });
  }

  prepare(caller: SourceCaller, received: Incoming): MaybePromise<Incoming | RpcError> {
    if (withoutFeatures.test(received.method)) return received;
    const { search, set } = this.#ports;
    const call = search === undefined ? received : calledTool(received);
    const upstreams = set.list;
    const target = targetOf(upstreams, call);
    if (target !== undefined) return this.#prepareOne(target, caller, call);
    const loading = upstreams.map((upstream) => startedLoad(upstream, caller)).filter(isPromiseLike);
    if (loading.length === 0) return call;
    return this.#prepareAll(loading, upstreams, caller, call);
  }

  registryFor(caller: SourceCaller): Registry {
    const parts = this.#ports.set.list.map((upstream): RegistryPart => {
      const features = upstream.featuresFor(caller);
      const user = upstream.userOf(caller);
      return {
        upstream: upstream.name,
        prefix: upstream.naming.prefix,
        features,
        isUnavailable: features === undefined && upstream.lists.isMissing(user),
      };
    });
    const base = this.#ports.base();
    const names = parts.map(({ upstream, features, isUnavailable }) =>
      features === undefined ? [upstream, isUnavailable] : this.#numberOf(features),
    );
    const key = JSON.stringify([this.#numberOf(base), names]);
    const known = this.#registries.get(key) ?? this.#merged(base, parts);
    this.#registries.delete(key);
    this.#registries.set(key, known);
    for (const [oldKey, { lists }] of this.#registries) {
      if (this.#registries.size <= maxRegistries && !this.#held.isFull) break;
      this.#registries.delete(oldKey);
      for (const one of lists) this.#held.remove(one);
    }
    return known.registry;
  }

  #merged(base: Registry, parts: readonly RegistryPart[]): RememberedRegistry {
    const conflict = (upstream: string, name: string): void => this.#conflict(upstream, name);
    const registry = mergedRegistry(base, parts, conflict, this.#ports.search);
    const lists = parts.flatMap(({ features }) => (features === undefined ? [] : [features.catalogue]));
    for (const one of lists) this.#held.add(one);
    return { registry, lists };
  }

  async sessionChanges(caller: SourceCaller, { method, params }: Incoming): Promise<RpcError | undefined> {
    const { session } = caller.caller;
    if (session === undefined || method === 'logging/setLevel') return undefined;
    const uri = String(params.uri);
    const upstream = this.#upstreamOf(uri);
    if (upstream === undefined) return rpcError('resource-not-found', 'Resource not found', { uri });
    return method === 'resources/subscribe'
      ? this.#watches.watch(upstream, caller, session, uri)
      : this.#watches.unwatch(session, uri);
  }

  async listen(
    caller: SourceCaller,
    { resourceSubscriptions = [], ...lists }: SubscriptionFilter,
    receiver: ChangeReceiver,
  ): Promise<SourceSubscription> {
    const upstreams = this.#ports.set.list;
    const followsLists = lists.toolsListChanged ?? lists.promptsListChanged ?? lists.resourcesListChanged ?? false;
    const ends = followsLists ? upstreams.map((one) => one.lists.follow(caller, one.userOf(caller), receiver)) : [];
    const refused = await Promise.all(
      resourceSubscriptions.map((uri) => {
        const upstream = this.#upstreamOf(uri);
        return upstream === undefined ? true : this.#watches.watch(upstream, caller, receiver, uri);
      }),
    );
    const resources = resourceSubscriptions.filter((_uri, at) => refused[at] === undefined);
    const close = (): void => {
      for (const end of ends) end();
      this.#watches.left(receiver);
    };
    return { resources, close };
  }

  rootsChanged(caller: SourceCaller): void {
    for (const upstream of this.#ports.set.list)
      for (const connection of upstream.connectionsOf(caller))
        if (connection.uses(caller.connectionKey)) connection.rootsChanged();
  }

  readonly tasks: SourceTasks = {
    kinds: () => this.#ports.set.list.map(({ tasks }) => tasks.kind),
    isOffered: () => this.#ports.set.all.some(({ tasks }) => tasks.isOffered),
    has: (taskId) => this.#ports.set.all.some(({ tasks }) => tasks.has(taskId)),
    ended: (taskId) => {
      for (const { tasks, parked } of this.#ports.set.all) {
        parked.take(taskId);
        tasks.ended(taskId);
      }
    },
  };

  abandoned(callId: string, reason: unknown): void {
    const { set, others } = this.#ports;
    const open = set.take(callId);
    if (open !== undefined) open.call.abandoned(reason);
    else if (!set.abandonHeld(callId)) others.abandoned(callId, String(reason));
  }

  readonly useStore = (store: Store): (() => void) => this.#ports.others.useStore(store);

  /** Nothing is opened again. */
  close(): void {
    this.#watches.close();
  }

  /** A session or connection of a caller has ended. */
  ended(connection: string): void {
    this.#watches.ended(connection);
    this.#ports.required.ended(connection);
    for (const upstream of this.#ports.set.all) upstream.ended(connection);
  }

  #upstreamOf(uri: string): Upstream | undefined {
    const upstreams = this.#ports.set.list;
    const [only, another] = upstreams;
    return another === undefined ? only : upstreams.find(({ name }) => name === upstreamIn(uri));
  }

  async #prepareOne(upstream: Upstream, caller: SourceCaller, call: Incoming): Promise<Incoming | RpcError> {
    /** The lists that were read are not those of the upstream that a reload has put in its place. */
    const next = (): Upstream | undefined => {
      const target = targetOf(this.#ports.set.list, call);
      return target === upstream ? undefined : target;
    };
    try {
      await upstream.load(caller);
      const replaced = next();
      return replaced === undefined ? call : await this.#prepareOne(replaced, caller, call);
    } catch (error) {
      const replaced = next();
      if (replaced !== undefined) return this.#prepareOne(replaced, caller, call);
      const required = this.#ports.required.errorFor(caller, error);
      return required ?? RpcError.from(callerError(upstream.name, error, upstream.naming.uris.outward));
    }
  }

  /** A list has what could be read in time. Without any upstream it fails; a client may introduce itself anyway. */
  async #prepareAll(
    loading: readonly PromiseLike<unknown>[],
    upstreams: readonly Upstream[],
    caller: SourceCaller,
    call: Incoming,
  ): Promise<Incoming | RpcError> {
    const outcomes = Promise.allSettled(loading);
    const [only, another] = upstreams;
    if (another === undefined) {
      const [first] = await outcomes;
      if (first?.status !== 'rejected' || only === undefined || isIntroduction(call)) return call;
      return RpcError.from(callerError(only.name, first.reason, only.naming.uris.outward));
    }
    const { deadlines, listMs } = this.#ports;
    await new Promise<void>((resolve) => {
      const deadline = deadlines.add(listMs, () => resolve(), false);
      void outcomes.finally(() => {
        deadlines.cancel(deadline);
        resolve();
      });
    });
    const isEmpty = upstreams.every((upstream) => upstream.featuresFor(caller) === undefined);
    if (!isEmpty || isIntroduction(call)) return call;
    return rpcError('connection-error', 'No upstream of the gateway is reachable.');
  }

  /** Only without prefixes: the earlier upstream has the name. */
  #conflict(upstream: string, name: string): void {
    const text = `${upstream}: ${shown(name)}: another upstream has this name.`;
    if (this.#leftOut.has(text) || this.#leftOut.size >= maxRegistries) return;
    this.#leftOut.add(text);
    this.#ports.dropped('list', text);
  }

  #numberOf(value: object): number {
    const known = this.#numbers.get(value) ?? ++this.#nextNumber;
    this.#numbers.set(value, known);
    return known;
  }
}

const isIntroduction = ({ method }: Incoming): boolean => method === 'initialize' || method === 'server/discover';

/** A rejection is looked at later, or by others that wait for the same. */
function startedLoad(upstream: Upstream, caller: SourceCaller): MaybePromise<unknown> {
  const loading = upstream.load(caller);
  if (isPromiseLike(loading)) loading.then(undefined, () => {});
  return loading;
}

/** The upstream that a call is for; `undefined` if it may be for any. */
function targetOf(upstreams: readonly Upstream[], { method, params }: Incoming): Upstream | undefined {
  const [only, another] = upstreams;
  if (another === undefined) return isListOrIntroduction(method) ? undefined : only;
  if (method === 'tools/call' || method === 'prompts/get') return byName(upstreams, params.name);
  if (method.startsWith('resources/') && typeof params.uri === 'string') return byUri(upstreams, params.uri);
  if (method !== 'completion/complete' || !isRecord(params.ref)) return undefined;
  const { ref } = params;
  return ref.type === 'ref/prompt' ? byName(upstreams, ref.name) : byUri(upstreams, String(ref.uri));
}

const isListOrIntroduction = (method: string): boolean =>
  method.endsWith('/list') ||
  method === 'initialize' ||
  method === 'server/discover' ||
  method === 'subscriptions/listen';

function byName(upstreams: readonly Upstream[], name: unknown): Upstream | undefined {
  const prefix = typeof name === 'string' ? originOf(name)?.server : undefined;
  const found = upstreams.filter(({ naming }) => naming.prefix === prefix);
  return found.length === 1 ? found[0] : undefined;
}

const byUri = (upstreams: readonly Upstream[], uri: string): Upstream | undefined => {
  const name = upstreamIn(uri);
  return upstreams.find((upstream) => upstream.name === name);
};
