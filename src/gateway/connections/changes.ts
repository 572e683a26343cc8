/** The changes of one connection to an upstream: who gets them, and what is subscribed to for them. */
import type { Change as UpstreamChange } from '../../client/api/changes.ts';
import type { Client } from '../../client/api/client.ts';
import { RpcError } from '../../jsonrpc/errors.ts';
import type { ServerCapabilities, SubscriptionFilter } from '../../protocol/generated/types/records.ts';

export interface ResourceListener {
  /** Gets the URI of a resource that has changed, or of one below it. */
  changed(uri: string): void;
  /** The upstream does not report changes any more: the connection, or the subscription, was lost. */
  lost(): void;
}

interface Watched {
  readonly listeners: Set<ResourceListener>;
  /** Resolves with what ends it; rejects if the upstream refuses. */
  readonly opened: Promise<() => Promise<void>>;
}

type ListKind = Exclude<UpstreamChange['type'], 'resource' | 'task'>;

export class ConnectionChanges {
  readonly #client: Client;
  readonly #watched = new Map<string, Watched>();
  /** Called when nothing is subscribed to any more. */
  onUnused: (() => void) | undefined;

  constructor(client: Client) {
    this.#client = client;
  }

  get isUsed(): boolean {
    return this.#watched.size > 0;
  }

  /** Follows the lists as long as the connection is open. Resolves when the upstream has accepted. */
  async followLists(onChange: (kind: ListKind) => void, onLost: () => void): Promise<void> {
    const filter = listFilter(this.#client.capabilities);
    if (filter === undefined) return;
    const subscription = await this.#client.subscribe(filter);
    const read = async (): Promise<void> => {
      for await (const { type } of subscription) if (type !== 'resource' && type !== 'task') onChange(type);
    };
    read()
      .catch(() => {})
      .finally(onLost);
  }

  /** The upstream is asked once for each resource. Resolves with the error of an upstream that refuses. */
  async watch(uri: string, listener: ResourceListener): Promise<RpcError | undefined> {
    const watched = this.#watched.get(uri) ?? this.#open(uri);
    watched.listeners.add(listener);
    try {
      await watched.opened;
      return undefined;
    } catch (error) {
      if (this.#watched.get(uri) === watched) this.#delete(uri);
      if (error instanceof RpcError) return error;
      throw error;
    }
  }

  unwatch(uri: string, listener: ResourceListener): void {
    const watched = this.#watched.get(uri);
    if (watched === undefined || !watched.listeners.delete(listener) || watched.listeners.size > 0) return;
    this.#delete(uri);
    watched.opened.then((close) => close()).catch(() => {});
  }

  #delete(uri: string): void {
    this.#watched.delete(uri);
    if (this.#watched.size === 0) this.onUnused?.();
  }

  /** One that was ended here has no listeners any more. */
  #lost(uri: string, listeners: ReadonlySet<ResourceListener>): void {
    if (this.#watched.get(uri)?.listeners !== listeners) return;
    this.#delete(uri);
    for (const listener of listeners) listener.lost();
  }

  #open(uri: string): Watched {
    const listeners = new Set<ResourceListener>();
    const open = async (): Promise<() => Promise<void>> => {
      const subscription = await this.#client.subscribe({ resourceSubscriptions: [uri] });
      const read = async (): Promise<void> => {
        for await (const change of subscription)
          if (change.type === 'resource') for (const listener of listeners) listener.changed(change.uri);
      };
      read()
        .catch(() => {})
        .finally(() => this.#lost(uri, listeners));
      return () => subscription.close();
    };
    const watched = { listeners, opened: open() };
    this.#watched.set(uri, watched);
    return watched;
  }
}

function listFilter({ tools, prompts, resources }: ServerCapabilities): SubscriptionFilter | undefined {
  const filter: SubscriptionFilter = {
    ...(tools?.listChanged === true && { toolsListChanged: true }),
    ...(prompts?.listChanged === true && { promptsListChanged: true }),
    ...(resources?.listChanged === true && { resourcesListChanged: true }),
  };
  return Object.keys(filter).length === 0 ? undefined : filter;
}
