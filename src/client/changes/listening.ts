/** Receives changes: by subscriptions in a session, by one open request in an exchange. */

import { RpcError } from '../../jsonrpc/errors.ts';
import type { RequestId } from '../../jsonrpc/message.ts';
import type { RequestOptions } from '../../jsonrpc/outbox.ts';
import { TenonError } from '../../lib/errors/tenon-error.ts';
import { listenForAbort, stopListening } from '../../lib/time/abort-listeners.ts';
import type { Deadlines } from '../../lib/time/deadlines.ts';
import type { SubscriptionFilter } from '../../protocol/generated/types/records.ts';
import { declares } from '../connection/capabilities.ts';
import type { OpenResult } from '../connection/negotiation/opening.ts';
import type { AttemptLimits } from '../reconnect/request-retries.ts';
import { isTemporary } from '../retry/failure-outcome.ts';
import { type ChangeQueue, requestedOf } from './changes.ts';

/** The part of a stream of changes that belongs to one connection. */
export interface Attachment {
  /** The filter that the server accepted; it may be less than was requested. */
  readonly acknowledged: SubscriptionFilter;
  /** Whether notifications are for every stream, and not for one listener. */
  readonly isBroadcast: boolean;
  /** Resolves when the server has accepted, and rejects when that failed. */
  readonly agreed: Promise<unknown>;
  release(): Promise<void>;
}

/** An open request that receives changes. */
export interface Listener {
  readonly filter: SubscriptionFilter;
  readonly queue: ChangeQueue;
  onAcknowledged(accepted: SubscriptionFilter): void;
  /** The server has cancelled it; a result may follow or not. */
  onCancelled(): void;
}

export interface SubscribePorts {
  /** The attachments of all streams. */
  attachments(): Attachment[];
  /** Sets the attachment at once: a notification may follow right after the answer of the server. */
  begin(attachment: Attachment): void;
  /** The limits of subscribing. */
  readonly limits: AttemptLimits;
  /** How long the server may take to answer an unsubscribe. */
  readonly timeoutMs: number;
  /** Called with the error of one resource, if the others are subscribed to anyway. */
  readonly onResourceRefused: ((error: Error) => void) | undefined;
}

/** Unsubscribes without an answer yet, by resource: over HTTP they could take effect after a subscribe that is sent later. */
const unsubscribing = new WeakMap<OpenResult['conversation'], Map<string, Promise<unknown>>>();

/** In a session the server notifies of lists by itself, and each resource is subscribed to. */
export async function subscribe(
  { conversation, capabilities }: OpenResult,
  filter: SubscriptionFilter,
  { attachments, begin, limits, timeoutMs, onResourceRefused: spare }: SubscribePorts,
): Promise<Attachment> {
  const supports = (path: string): boolean => declares(capabilities, path);
  const acknowledged = requestedOf({
    toolsListChanged: filter.toolsListChanged === true && supports('tools.listChanged'),
    promptsListChanged: filter.promptsListChanged === true && supports('prompts.listChanged'),
    resourcesListChanged: filter.resourcesListChanged === true && supports('resources.listChanged'),
    ...(filter.resourceSubscriptions &&
      supports('resources.subscribe') && { resourceSubscriptions: filter.resourceSubscriptions }),
  });
  // Only resources that no other stream has subscribed to are subscribed to and unsubscribed from.
  const request = (method: string, uri: string, options: RequestOptions): Promise<unknown> =>
    conversation.call(method, { uri }, options);
  const watcherOf = (uri: string): Attachment | undefined =>
    attachments().find((one) => one !== own && one.acknowledged.resourceSubscriptions?.includes(uri));
  /** The subscription of another stream may still fail or be cancelled. */
  const subscribeTo = async (uri: string): Promise<unknown> => {
    const other = watcherOf(uri);
    const isWatched = other?.agreed.then(
      () => other.acknowledged.resourceSubscriptions?.includes(uri),
      () => false,
    );
    if (await isWatched) return undefined;
    await leaving.get(uri);
    return request('resources/subscribe', uri, subscribeOptions);
  };
  const leaving = unsubscribing.get(conversation) ?? new Map<string, Promise<unknown>>();
  unsubscribing.set(conversation, leaving);
  const unsubscribe = (uri: string): Promise<unknown> => {
    const answered = request('resources/unsubscribe', uri, { timeoutMs });
    const over = (): void => void (leaving.get(uri) === waited && leaving.delete(uri));
    const waited = answered.then(over, over);
    leaving.set(uri, waited);
    return answered;
  };
  let released: Promise<unknown> | undefined;
  const release = async (): Promise<void> => {
    const alone = [...new Set(own.acknowledged.resourceSubscriptions)].filter((uri) => watcherOf(uri) === undefined);
    released ??= Promise.all(alone.map(unsubscribe));
    await released;
  };
  const own = { acknowledged, isBroadcast: true, agreed: Promise.resolve() as Promise<unknown>, release };
  const refused = (uri: string, error: unknown): void => {
    if (spare === undefined || !(error instanceof RpcError) || isTemporary(error)) throw error;
    const left = own.acknowledged.resourceSubscriptions?.filter((one) => one !== uri) ?? [];
    own.acknowledged = { ...own.acknowledged, resourceSubscriptions: left };
    spare(error);
  };
  const { signal } = limits;
  const subscribeOptions: RequestOptions = { timeoutMs: limits.timeoutMs, ...(signal && { signal }) };
  const uris = [...new Set(own.acknowledged.resourceSubscriptions)];
  own.agreed = Promise.all(uris.map((uri) => subscribeTo(uri).catch((error) => refused(uri, error))));
  begin(own);
  try {
    await own.agreed;
  } catch (error) {
    // A server that does not answer must not cause a delay.
    release().catch(() => {});
    throw error;
  }
  return own;
}

export interface ListenPorts extends AttemptLimits {
  readonly listening: Map<RequestId, Listener>;
  readonly queue: ChangeQueue;
  readonly deadlines: Deadlines;
  /** The request ended after it was acknowledged. */
  onBroken(error: Error | undefined): void;
}

/** In an exchange one request stays open as long as the subscription. */
export function listen(
  { conversation }: OpenResult,
  filter: SubscriptionFilter,
  { listening, queue, deadlines, timeoutMs, signal, onBroken: broke }: ListenPorts,
): Promise<Attachment> {
  const controller = new AbortController();
  const release = async (): Promise<void> => controller.abort('closed');
  return new Promise((resolve, reject) => {
    let id: RequestId | undefined;
    let state: 'waiting' | 'open' | 'ended' = 'waiting';
    const cancel = (): void => controller.abort(signal?.reason);
    const stopWaiting = (): void => {
      deadlines.cancel(deadline);
      if (signal !== undefined) stopListening(signal, cancel);
    };
    const deadline = deadlines.add(timeoutMs, () => {
      ended(unacknowledged(`within ${timeoutMs} ms`, 'timeout'));
      void release();
    });
    const onAcknowledged = (accepted: SubscriptionFilter): void => {
      stopWaiting();
      if (state !== 'waiting') return;
      state = 'open';
      resolve({ acknowledged: requestedOf(accepted), isBroadcast: false, agreed: Promise.resolve(), release });
    };
    const ended = (error?: Error): void => {
      const before = state;
      if (before === 'ended') return;
      state = 'ended';
      stopWaiting();
      if (id !== undefined) listening.delete(id);
      if (before === 'waiting') reject(error ?? unacknowledged('before it ended the request', 'invalid-result'));
      else if (!controller.signal.aborted) broke(error);
    };
    const sent = (own: RequestId): void => {
      id = own;
      listening.set(own, { filter, queue, onAcknowledged, onCancelled: () => ended() });
    };
    if (signal?.aborted) cancel();
    else if (signal !== undefined) listenForAbort(signal, cancel);
    conversation
      .call('subscriptions/listen', { notifications: requestedOf(filter) }, { signal: controller.signal, sent })
      .then(() => ended(), ended);
  });
}

const unacknowledged = (when: string, code: 'timeout' | 'invalid-result'): TenonError =>
  new TenonError(code, `The server did not acknowledge subscriptions/listen ${when}.`);
