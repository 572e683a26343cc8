/** The resources of an instance that its clients subscribe to: the instance is asked once for each. */

import { fromReply } from '../../forwarding/reply-errors.ts';
import type { RpcError } from '../../jsonrpc/errors.ts';
import type { ChangeReceiver } from '../../server/ports/source-session.ts';
import type { Instance } from './instance.ts';

interface Subscribed {
  readonly by: Set<ChangeReceiver>;
  /** Resolves with the error if the instance refuses. */
  readonly asked: Promise<RpcError | undefined>;
}

export class ResourceSubscriptions {
  readonly #instance: Pick<Instance, 'ask' | 'isClosed'>;
  readonly #byUri = new Map<string, Subscribed>();

  constructor(instance: Pick<Instance, 'ask' | 'isClosed'>) {
    this.#instance = instance;
  }

  /** Resolves with the error of an instance that refuses. */
  async add(uri: string, by: ChangeReceiver): Promise<RpcError | undefined> {
    const known = this.#byUri.get(uri) ?? { by: new Set(), asked: this.#ask('resources/subscribe', uri) };
    this.#byUri.set(uri, known);
    known.by.add(by);
    const refused = await known.asked;
    if (refused !== undefined && this.#byUri.get(uri) === known) this.#byUri.delete(uri);
    return refused;
  }

  /** Resolves with the error of an instance that refuses. */
  async delete(uri: string, by: ChangeReceiver): Promise<RpcError | undefined> {
    const known = this.#byUri.get(uri);
    if (known === undefined || !known.by.delete(by) || known.by.size > 0) return undefined;
    this.#byUri.delete(uri);
    return this.#ask('resources/unsubscribe', uri);
  }

  /** Ends all subscriptions of one. */
  leave(by: ChangeReceiver): void {
    for (const [uri, subscribed] of this.#byUri) if (subscribed.by.has(by)) void this.delete(uri, by).catch(() => {});
  }

  async #ask(method: string, uri: string): Promise<RpcError | undefined> {
    const reply = await this.#instance.ask(method, { uri });
    return 'error' in reply ? fromReply(reply.error) : undefined;
  }
}
