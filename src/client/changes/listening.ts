/** The two ways of hearing of changes: a session is subscribed to, an exchange is listened to. */
import { listenForAbort, stopListening } from '../../jsonrpc/abort-listeners.ts';
import type { Deadlines } from '../../jsonrpc/deadlines.ts';
import { RpcError, TenonError } from '../../jsonrpc/errors.ts';
import type { RequestId } from '../../jsonrpc/message.ts';
import type { RequestOptions } from '../../jsonrpc/outbox.ts';
import type { SubscriptionFilter } from '../../protocol/generated/types/records.ts';
import { type ChangeFilter } from '../api/changes.ts';
import { declares } from '../connection/capabilities.ts';
import type { OpenResult } from '../connection/negotiation/opening.ts';
import type { AttemptLimits } from '../reconnect/request-retries.ts';
import { type ChangeQueue, filterHonoured, filterToListen } from './changes.ts';

/** What one connection gives a stream of changes. */
export interface Attachment {
  /** What the server will tell of; it may be less than was asked for. */
  readonly honoured: ChangeFilter;
  /** Whether news comes to all who want it, and not to one listener. */
  readonly isBroadcast: boolean;
  /** Settles when the server has agreed, and rejects where that came to nothing. */
  readonly agreed: Promise<unknown>;
  release(): Promise<void>;
}

/** A request that stays open and hears of changes. */
export interface Listener {
  readonly filter: ChangeFilter;
  readonly queue: ChangeQueue;
  onAcknowledged(accepted: SubscriptionFilter): void;
  /** The server has taken it back; a result may follow or not. */
  onCancelled(): void;
}

export interface SubscribePorts {
  /** What all streams have now. */
  attachments(): Attachment[];
  /** What the stream has from now on: news may come right behind the answer of the server. */
  begin(attachment: Attachment): void;
  /** For how long it is asked for, and what gives that up. */
  readonly limits: AttemptLimits;
  /** For how long a server may think about letting go. */
  readonly timeoutMs: number;
  /** Hears of a resource that the server refuses, where the others are to be watched all the same. */
  readonly onResourceRefused: ((error: Error) => void) | undefined;
}

/** In a session lists announce themselves, and resources are subscribed to one by one. */
export async function subscribe(
  { conversation, capabilities }: OpenResult,
  filter: ChangeFilter,
  { attachments, begin, limits, timeoutMs, onResourceRefused: spare }: SubscribePorts,
): Promise<Attachment> {
  const honoured: ChangeFilter = {
    ...(filter.tools && declares(capabilities, 'tools.listChanged') && { tools: true }),
    ...(filter.prompts && declares(capabilities, 'prompts.listChanged') && { prompts: true }),
    ...(filter.resources && declares(capabilities, 'resources.listChanged') && { resources: true }),
    ...(filter.uris && declares(capabilities, 'resources.subscribe') && { uris: filter.uris }),
  };
  // Only what no other stream watches is asked for, and given up again.
  const request = (method: string, uri: string, options: RequestOptions): Promise<unknown> =>
    conversation.call(method, { uri }, options);
  const watcherOf = (uri: string): Attachment | undefined =>
    attachments().find((one) => one !== own && one.honoured.uris?.includes(uri));
  /** Another stream that is still asking for it may be refused, or given up. */
  const subscribeTo = async (uri: string): Promise<unknown> => {
    const other = watcherOf(uri);
    const isWatched = other?.agreed.then(
      () => other.honoured.uris?.includes(uri),
      () => false,
    );
    return (await isWatched) ? undefined : request('resources/subscribe', uri, subscribeOptions);
  };
  let released: Promise<unknown> | undefined;
  const release = async (): Promise<void> => {
    const alone = [...new Set(own.honoured.uris)].filter((uri) => watcherOf(uri) === undefined);
    released ??= Promise.all(alone.map((uri) => request('resources/unsubscribe', uri, { timeoutMs })));
    await released;
  };
  const own = { honoured, isBroadcast: true, agreed: Promise.resolve() as Promise<unknown>, release };
  const refused = (uri: string, error: unknown): void => {
    if (spare === undefined || !(error instanceof RpcError)) throw error;
    own.honoured = { ...own.honoured, uris: own.honoured.uris?.filter((one) => one !== uri) ?? [] };
    spare(error);
  };
  const { signal } = limits;
  const subscribeOptions: RequestOptions = { timeoutMs: limits.timeoutMs, ...(signal && { signal }) };
  const uris = [...new Set(own.honoured.uris)];
  own.agreed = Promise.all(uris.map((uri) => subscribeTo(uri).catch((error) => refused(uri, error))));
  begin(own);
  try {
    await own.agreed;
  } catch (error) {
    // Nobody waits for what a server that does not answer makes of it.
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

/** In an exchange one request stays open for as long as changes are wanted. */
export function listen(
  { conversation }: OpenResult,
  filter: ChangeFilter,
  { listening, queue, deadlines, timeoutMs, signal, onBroken: broke }: ListenPorts,
): Promise<Attachment> {
  const controller = new AbortController();
  const release = async (): Promise<void> => controller.abort('closed');
  return new Promise((resolve, reject) => {
    let id: RequestId | undefined;
    let state: 'waiting' | 'open' | 'over' = 'waiting';
    const cancel = (): void => controller.abort(signal?.reason);
    const stopWaiting = (): void => {
      deadlines.cancel(deadline);
      if (signal !== undefined) stopListening(signal, cancel);
    };
    const deadline = deadlines.add(timeoutMs, () => {
      ended(unacknowledged(`within ${timeoutMs} ms`, 'timeout'));
      void release();
    });
    const acknowledged = (accepted: SubscriptionFilter): void => {
      stopWaiting();
      if (state !== 'waiting') return;
      state = 'open';
      resolve({ honoured: filterHonoured(accepted), isBroadcast: false, agreed: Promise.resolve(), release });
    };
    const ended = (error?: Error): void => {
      const before = state;
      if (before === 'over') return;
      state = 'over';
      stopWaiting();
      if (id !== undefined) listening.delete(id);
      if (before === 'waiting') reject(error ?? unacknowledged('before it ended it', 'invalid-result'));
      else if (!controller.signal.aborted) broke(error);
    };
    const sent = (own: RequestId): void => {
      id = own;
      listening.set(own, { filter, queue, onAcknowledged: acknowledged, onCancelled: () => ended() });
    };
    if (signal?.aborted) cancel();
    else if (signal !== undefined) listenForAbort(signal, cancel);
    conversation
      .call('subscriptions/listen', { notifications: filterToListen(filter) }, { signal: controller.signal, sent })
      .then(() => ended(), ended);
  });
}

const unacknowledged = (when: string, code: 'timeout' | 'invalid-result'): TenonError =>
  new TenonError(code, `The server did not acknowledge subscriptions/listen ${when}.`);
