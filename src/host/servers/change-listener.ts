/** Subscribes to those changes of one server that a reader of the host wants. */
import type { Subscription } from '../../client/api/changes.ts';
import type { Client } from '../../client/api/client.ts';
import { changesWithin } from '../../client/changes/changes.ts';
import { declares } from '../../client/connection/capabilities.ts';
import type { ServerCapabilities, SubscriptionFilter } from '../../protocol/generated/types/records.ts';
import type { ChangeBroadcast } from './changes.ts';

export interface ChangeListenerPorts {
  readonly server: string;
  readonly broadcast: ChangeBroadcast;
  warn(error: Error): void;
}

interface Listening {
  readonly key: string;
  readonly subscription: Promise<Subscription | undefined>;
}

export class ChangeListener {
  readonly #ports: ChangeListenerPorts;
  #listening: Listening | undefined;

  constructor(ports: ChangeListenerPorts) {
    this.#ports = ports;
  }

  /** Whether a reader waits for changes of single resources. */
  get watchesResources(): boolean {
    return (this.#wanted.resourceSubscriptions ?? []).length > 0;
  }

  get #wanted(): SubscriptionFilter {
    const { broadcast, server } = this.#ports;
    return broadcast.wanted(server);
  }

  /**
   * Adapts the subscription to the current filters. Without a connection it only ends a subscription that no reader
   * needs.
   */
  adapt(client: Client | undefined): void {
    if (client !== undefined) this.#listen(client);
    else if (!isWanted(this.#wanted)) this.#stop();
  }

  /** There is another client: its subscription begins anew. */
  forget(): void {
    this.#listening = undefined;
  }

  /** Reports every change that may have been missed while there was no connection. */
  reportMissed({ capabilities }: Client): void {
    const { broadcast, server } = this.#ports;
    for (const change of changesWithin(supportedPart(this.#wanted, capabilities))) broadcast.put({ server, change });
  }

  #stop(): void {
    const listening = this.#listening;
    this.#listening = undefined;
    listening?.subscription.then((subscription) => subscription?.close()).catch(() => {});
  }

  #listen(client: Client): void {
    const filter = supportedPart(this.#wanted, client.capabilities);
    if (!isWanted(filter)) return this.#stop();
    const key = JSON.stringify(filter);
    const before = this.#listening;
    if (before?.key === key) return;
    const subscription = before === undefined ? this.#subscribe(client, filter) : this.#update(before, filter);
    this.#listening = { key, subscription };
    void this.#dropIfFailed(subscription);
  }

  /** A subscription that failed is opened again with the next connection. */
  async #dropIfFailed(subscription: Promise<Subscription | undefined>): Promise<void> {
    const opened = await subscription;
    if (opened === undefined && this.#listening?.subscription === subscription) this.#listening = undefined;
  }

  async #subscribe(client: Client, filter: SubscriptionFilter): Promise<Subscription | undefined> {
    try {
      const subscription = await client.subscribe(filter);
      void this.#forwardChanges(subscription);
      return subscription;
    } catch (error) {
      this.#ports.warn(error as Error);
      return undefined;
    }
  }

  async #update({ subscription }: Listening, filter: SubscriptionFilter): Promise<Subscription | undefined> {
    const opened = await subscription;
    try {
      await opened?.update(filter);
    } catch (error) {
      this.#ports.warn(error as Error);
    }
    return opened;
  }

  async #forwardChanges(subscription: Subscription): Promise<void> {
    const { broadcast, server } = this.#ports;
    try {
      for await (const change of subscription) broadcast.put({ server, change });
    } catch {
      // The state of the connection reports that it closed.
    }
    // A subscription that the server ended is opened again with the next connection.
    const listening = this.#listening;
    if ((await listening?.subscription) === subscription && this.#listening === listening) this.#listening = undefined;
  }
}

const isWanted = ({ resourceSubscriptions = [], ...lists }: SubscriptionFilter): boolean =>
  resourceSubscriptions.length > 0 || Object.values(lists).includes(true);

/** The part of a filter that a server supports. */
function supportedPart(filter: SubscriptionFilter, capabilities: ServerCapabilities): SubscriptionFilter {
  const supports = (path: string): boolean => declares(capabilities, path);
  return {
    toolsListChanged: filter.toolsListChanged === true && supports('tools.listChanged'),
    promptsListChanged: filter.promptsListChanged === true && supports('prompts.listChanged'),
    resourcesListChanged: filter.resourcesListChanged === true && supports('resources.listChanged'),
    ...(supports('resources.subscribe') && { resourceSubscriptions: filter.resourceSubscriptions ?? [] }),
  };
}
