/** The features of each caller: those of its instance. What the instance sends outside calls goes to the session of the caller. */
import type { RpcError } from '../jsonrpc/errors.ts';
import type { MaybePromise } from '../lib/values/maybe-promise.ts';
import type { LoggingLevel, SubscriptionFilter } from '../protocol/generated/types/records.ts';
import type { Incoming } from '../protocol/neutral.ts';
import type { FeatureSource, SourceSubscription } from '../server/kernel/feature-source.ts';
import type { SourceCaller } from '../server/ports/source-caller.ts';
import type { ChangeReceiver } from '../server/ports/source-session.ts';
import type { Registry } from '../server/registry/registry.ts';
import { callerRegistry } from './features/caller-registry.ts';
import type { BridgedFeatures } from './features/features.ts';
import type { BridgedInstance } from './pool/bridged-instance.ts';
import type { InstancePool, Lease } from './pool/instances.ts';
import { clientText, ownerOf } from './pool/owner.ts';

export interface SourcePorts {
  readonly pool: Pick<InstancePool, 'find'>;
  /** The instance of a caller, until it is released. */
  lend(caller: SourceCaller): MaybePromise<Lease>;
  /** The features of the definition, and those of them that came from the instance which was listed first. */
  base(): Registry;
  readonly first: BridgedFeatures;
  /** Whether all callers have the lists of the only instance. */
  readonly isOne: boolean;
  abandoned(callId: string, reason: unknown): void;
}

/**
 * Clients without a session and a principal whose lists are remembered between two calls.
 * @limit official
 * @beyond the lists of the one that was not used for the longest time are read again
 */
const maxAnonymousClients = 100;

/** Characters of what such a client says about itself. Beyond them it gets the lists of a client that supports everything. */
const maxClientChars = 4096;

/** Methods for which no features are looked up. */
const withoutFeatures = /^(initialize|server\/|ping$|logging\/|tasks\/)/;

export class CallerFeatures implements FeatureSource {
  readonly #ports: SourcePorts;
  readonly #registries = new WeakMap<BridgedFeatures, { readonly base: Registry; readonly registry: Registry }>();
  /** The features of clients that have an instance for each call, by what they say about themselves. */
  readonly #anonymous = new Map<string, BridgedFeatures>();

  constructor(ports: SourcePorts) {
    this.#ports = ports;
  }

  prepare(caller: SourceCaller, call: Incoming): MaybePromise<Incoming> {
    const { pool, isOne } = this.#ports;
    if (isOne || withoutFeatures.test(call.method)) return call;
    const owner = ownerOf(caller);
    if (owner.key === undefined) return this.#prepareAnonymous(caller, call);
    const bridged = pool.find(owner);
    const loading = bridged === undefined ? this.#open(caller) : bridged.load();
    return loading === undefined ? call : loading.then(() => call);
  }

  registryFor(caller: SourceCaller): Registry {
    const { pool, base, isOne } = this.#ports;
    if (isOne) return base();
    const owner = ownerOf(caller);
    const features =
      owner.key === undefined ? this.#anonymous.get(clientText(caller.caller)) : pool.find(owner)?.features;
    return features === undefined ? base() : this.#registryOf(features);
  }

  async sessionChanges(caller: SourceCaller, { method, params }: Incoming): Promise<RpcError | undefined> {
    const { session } = caller.caller;
    if (session === undefined) return undefined;
    if (method === 'logging/setLevel') {
      this.#ports.pool.find(ownerOf(caller))?.setLevel(params.level as LoggingLevel);
      return undefined;
    }
    const uri = String(params.uri);
    return this.#using(caller, ({ subscriptions }) =>
      method === 'resources/subscribe' ? subscriptions.add(uri, session) : subscriptions.delete(uri, session),
    );
  }

  async listen(
    caller: SourceCaller,
    { resourceSubscriptions = [], ...lists }: SubscriptionFilter,
    receiver: ChangeReceiver,
  ): Promise<SourceSubscription> {
    const followsLists = lists.toolsListChanged ?? lists.promptsListChanged ?? lists.resourcesListChanged ?? false;
    if (resourceSubscriptions.length === 0 && !followsLists) return { resources: [], close: () => {} };
    const { bridged, release } = await this.#ports.lend(caller);
    const close = (): void => {
      bridged.unfollow(receiver);
      release();
    };
    try {
      await bridged.load();
      return { resources: await bridged.follow(receiver, resourceSubscriptions), close };
    } catch (error) {
      close();
      throw error;
    }
  }

  rootsChanged(caller: SourceCaller): void {
    this.#ports.pool.find(ownerOf(caller))?.rootsChanged();
  }

  abandoned(callId: string, reason: unknown): void {
    this.#ports.abandoned(callId, reason);
  }

  async #using<T>(caller: SourceCaller, use: (bridged: BridgedInstance) => Promise<T>): Promise<T> {
    const { bridged, release } = await this.#ports.lend(caller);
    try {
      return await use(bridged);
    } finally {
      release();
    }
  }

  async #open(caller: SourceCaller): Promise<void> {
    await this.#using(caller, async (bridged) => bridged.load());
  }

  /** Lists are read for each request of one, and for a call whose client has not listed anything. */
  #prepareAnonymous(caller: SourceCaller, call: Incoming): MaybePromise<Incoming> {
    const text = clientText(caller.caller);
    if (text.length > maxClientChars) return call;
    if (this.#anonymous.has(text) && !call.method.endsWith('/list')) return call;
    return this.#readAnonymous(caller, text).then(() => call);
  }

  async #readAnonymous(caller: SourceCaller, text: string): Promise<void> {
    const features = await this.#using(caller, async (bridged) => {
      await bridged.load();
      return bridged.features;
    });
    if (features === undefined) return;
    this.#anonymous.delete(text);
    this.#anonymous.set(text, features);
    const [oldest] = this.#anonymous.keys();
    if (this.#anonymous.size > maxAnonymousClients && oldest !== undefined) this.#anonymous.delete(oldest);
  }

  #registryOf(features: BridgedFeatures): Registry {
    const base = this.#ports.base();
    const known = this.#registries.get(features);
    if (known?.base === base) return known.registry;
    const registry = callerRegistry(base, this.#ports.first, features);
    this.#registries.set(features, { base, registry });
    return registry;
  }
}
