/** Changes on a server as a client reports them. */
import type { SubscriptionFilter } from '../../protocol/generated/types/records.ts';

/** A list that changed, a resource that was updated, or a task whose status or requests changed. */
export type Change =
  | { readonly type: 'tools' | 'resources' | 'prompts' }
  | { readonly type: 'resource'; readonly uri: string }
  | { readonly type: 'task'; readonly taskId: string };

/**
 * A subscription to changes: iterate over it to receive them. It is restored when the client reconnects.
 *
 * @example
 * ```ts
 * const subscription = await client.subscribe({ toolsListChanged: true });
 * for await (const change of subscription) console.log(change.type);
 * ```
 */
export interface Subscription extends AsyncIterable<Change>, AsyncDisposable {
  /** The filter that the server accepted. It may be less than was requested. */
  readonly acknowledged: SubscriptionFilter;
  /** Replaces the filter. The old one stays in effect until the server has accepted the new one. */
  update(filter: SubscriptionFilter): Promise<void>;
  /** Ends the subscription and its iteration. */
  close(): Promise<void>;
}
