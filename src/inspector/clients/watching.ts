/** What a client listens to: changes of lists, and updates of resources that the user has chosen. */

import type { Change, Subscription } from '../../client/api/changes.ts';
import type { Client } from '../../client/api/client.ts';
import { TenonError } from '../../lib/errors/tenon-error.ts';
import type { SubscriptionFilter } from '../../protocol/generated/types/records.ts';
import { InspectorError } from '../api-error.ts';
import type { EventLog } from '../event-log.ts';
import { beginningOf, maxLineChars } from '../stored-text.ts';

/**
 * Resources that a client watches.
 * @limit inspector
 * @beyond the call fails
 * @code too-many
 */
const maxUris = 200;

export class Watching {
  readonly #client: string;
  readonly #log: EventLog;
  readonly #changed: () => void;
  #uris: readonly string[] = [];
  #subscription: Promise<Subscription | undefined> | undefined;
  /** The last change of the subscription: each begins with what the one before has left. */
  #lastSet: Promise<unknown> = Promise.resolve();
  #current: Client | undefined;

  constructor(client: string, log: EventLog, changed: () => void) {
    this.#client = client;
    this.#log = log;
    this.#changed = changed;
  }

  get uris(): readonly string[] {
    return this.#uris;
  }

  /** The client is connected for the first time; it restores subscriptions itself when it reconnects. */
  start(client: Client): void {
    this.#current = client;
    this.#subscription = this.#open(client);
  }

  stop(): void {
    this.#current = undefined;
    this.#subscription = undefined;
    this.#uris = [];
  }

  set(uri: string, isOn: boolean): Promise<void> {
    const set = this.#lastSet.then(() => this.#set(uri, isOn));
    this.#lastSet = set.catch(() => undefined);
    return set;
  }

  async #set(uri: string, isOn: boolean): Promise<void> {
    const client = this.#current;
    if (client === undefined) throw new InspectorError('not-connected', 'The client is not connected.');
    const uris = isOn ? [...new Set([...this.#uris, uri])] : this.#uris.filter((one) => one !== uri);
    if (uris.length > maxUris)
      throw new InspectorError('too-many', `A client can watch ${maxUris} resources.`, 'End another subscription.');
    const subscription = await this.#subscription;
    if (subscription !== undefined) await subscription.update(filterFor(client, uris));
    else this.#subscription = this.#iterated(await client.subscribe(filterFor(client, uris)));
    this.#uris = uris;
    this.#changed();
  }

  /** Nothing if the server reports no changes. */
  async #open(client: Client): Promise<Subscription | undefined> {
    const filter = filterFor(client, []);
    if (Object.keys(filter).length === 0) return undefined;
    try {
      return await this.#iterated(await client.subscribe(filter));
    } catch (error) {
      const { code, message } = error instanceof TenonError ? error : { code: 'failed', message: String(error) };
      this.#log.publish({ type: 'warning', client: this.#client, code, message });
      return undefined;
    }
  }

  async #iterated(subscription: Subscription): Promise<Subscription> {
    void this.#report(subscription);
    return subscription;
  }

  async #report(subscription: Subscription): Promise<void> {
    try {
      for await (const change of subscription) this.#onChange(change);
    } catch {
      // The state of the client says why the connection closed.
    }
  }

  #onChange(change: Change): void {
    const client = this.#client;
    if (change.type === 'resource')
      this.#log.publish({ type: 'resource-updated', client, uri: beginningOf(change.uri, maxLineChars) });
    else if (change.type !== 'task') {
      this.#log.publish({ type: 'list-changed', client, kind: change.type });
      if (change.type === 'resources') this.#log.publish({ type: 'list-changed', client, kind: 'templates' });
    }
  }
}

/** The changes that the server declares to report. */
function filterFor(
  { capabilities: { tools, prompts, resources } }: Client,
  uris: readonly string[],
): SubscriptionFilter {
  return {
    ...(tools?.listChanged && { toolsListChanged: true }),
    ...(prompts?.listChanged && { promptsListChanged: true }),
    ...(resources?.listChanged && { resourcesListChanged: true }),
    ...(uris.length > 0 && { resourceSubscriptions: [...uris] }),
  };
}
