/** The two ways of hearing of changes: a session is subscribed to, an exchange is listened to. */
import { listenForAbort, stopListening } from '../../jsonrpc/abort-listeners.ts';
import type { Deadlines } from '../../jsonrpc/deadlines.ts';
import { RpcError, TenonError } from '../../jsonrpc/errors.ts';
import type { RequestId } from '../../jsonrpc/message.ts';
import type { RequestOptions } from '../../jsonrpc/outbox.ts';
import type { SubscriptionFilter } from '../../protocol/generated/types/records.ts';
import { type ChangeFilter } from '../api/changes.ts';
import { declares } from '../api/client.ts';
import type { Opened } from '../connection/negotiation/opening.ts';
import type { Bounds } from '../reconnect/request-retries.ts';
import { type ChangeQueue, filterHonoured, filterToListen } from './changes.ts';

/** What one connection gives a stream of changes. */
export interface Attachment {
  /** What the server will tell of; it may be less than was asked for. */
  readonly honoured: ChangeFilter;
  /** Whether news comes to all who want it, and not to one listener. */
  readonly unasked: boolean;
  /** Settles when the server has agreed, and rejects where that came to nothing. */
  readonly agreed: Promise<unknown>;
  release(): Promise<void>;
}

/** A request that stays open and hears of changes. */
export interface Listener {
  readonly filter: ChangeFilter;
  readonly queue: ChangeQueue;
  acknowledged(filter: SubscriptionFilter): void;
  /** The server has taken it back; a result may follow or not. */
  takenBack(): void;
}

export interface SubscribePorts {
  /** What all streams have now. */
  attachments(): Attachment[];
  /** What the stream has from now on: news may come right behind the answer of the server. */
  begin(attachment: Attachment): void;
  /** For how long it is asked for, and what gives that up. */
  readonly bounds: Bounds;
  /** For how long a server may think about letting go. */
  readonly timeoutMs: number;
  /** Hears of a resource that the server refuses, where the others are to be watched all the same. */
  readonly spare: ((error: Error) => void) | undefined;
}

/** In a session lists announce themselves, and resources are subscribed to one by one. */
export async function subscribe(
  { conversation, capabilities }: Opened,
  asked: ChangeFilter,
  { attachments, begin, bounds, timeoutMs, spare }: SubscribePorts,
): Promise<Attachment> {
  const honoured: ChangeFilter = {
    ...(asked.tools && declares(capabilities, 'tools.listChanged') && { tools: true }),
    ...(asked.prompts && declares(capabilities, 'prompts.listChanged') && { prompts: true }),
    ...(asked.resources && declares(capabilities, 'resources.listChanged') && { resources: true }),
    ...(asked.uris && declares(capabilities, 'resources.subscribe') && { uris: asked.uris }),
  };
  // Only what no other stream watches is asked for, and given up again.
  const tell = (method: string, uri: string, options: RequestOptions): Promise<unknown> =>
    conversation.call(method, { uri }, options);
  const watcherOf = (uri: string): Attachment | undefined =>
    attachments().find((one) => one !== own && one.honoured.uris?.includes(uri));
  /** Another stream that is still asking for it may be refused, or given up. */
  const ask = async (uri: string): Promise<unknown> => {
    const other = watcherOf(uri);
    const isWatched = other?.agreed.then(
      () => other.honoured.uris?.includes(uri),
      () => false,
    );
    return (await isWatched) ? undefined : tell('resources/subscribe', uri, asking);
  };
  let released: Promise<unknown> | undefined;
  const release = async (): Promise<void> => {
    const alone = [...new Set(own.honoured.uris)].filter((uri) => watcherOf(uri) === undefined);
    released ??= Promise.all(alone.map((uri) => tell('resources/unsubscribe', uri, { timeoutMs })));
    await released;
  };
  const own = { honoured, unasked: true, agreed: Promise.resolve() as Promise<unknown>, release };
  const without = (uri: string, error: unknown): void => {
    if (spare === undefined || !(error instanceof RpcError)) throw error;
    own.honoured = { ...own.honoured, uris: own.honoured.uris?.filter((one) => one !== uri) ?? [] };
    spare(error);
  };
  const { signal } = bounds;
  const asking: RequestOptions = { timeoutMs: bounds.timeoutMs, ...(signal && { signal }) };
  const uris = [...new Set(own.honoured.uris)];
  own.agreed = Promise.all(uris.map((uri) => ask(uri).catch((error) => without(uri, error))));
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

export interface ListenPorts extends Bounds {
  readonly listening: Map<RequestId, Listener>;
  readonly queue: ChangeQueue;
  readonly deadlines: Deadlines;
  /** The request ended after it was acknowledged. */
  broke(error: Error | undefined): void;
}

/** In an exchange one request stays open for as long as changes are wanted. */
export function listen(
  { conversation }: Opened,
  asked: ChangeFilter,
  { listening, queue, deadlines, timeoutMs, signal, broke }: ListenPorts,
): Promise<Attachment> {
  const controller = new AbortController();
  const release = async (): Promise<void> => controller.abort('closed');
  return new Promise((resolve, reject) => {
    let id: RequestId | undefined;
    let state: 'waiting' | 'open' | 'over' = 'waiting';
    const giveUp = (): void => controller.abort(signal?.reason);
    const settle = (): void => {
      deadlines.cancel(tooLate);
      if (signal !== undefined) stopListening(signal, giveUp);
    };
    const tooLate = deadlines.add(timeoutMs, () => {
      ended(unacknowledged(`within ${timeoutMs} ms`, 'timeout'));
      void release();
    });
    const acknowledged = (filter: SubscriptionFilter): void => {
      settle();
      if (state !== 'waiting') return;
      state = 'open';
      resolve({ honoured: filterHonoured(filter), unasked: false, agreed: Promise.resolve(), release });
    };
    const ended = (error?: Error): void => {
      const before = state;
      if (before === 'over') return;
      state = 'over';
      settle();
      if (id !== undefined) listening.delete(id);
      if (before === 'waiting') reject(error ?? unacknowledged('before it ended it', 'invalid-result'));
      else if (!controller.signal.aborted) broke(error);
    };
    const sent = (own: RequestId): void => {
      id = own;
      listening.set(own, { filter: asked, queue, acknowledged, takenBack: () => ended() });
    };
    if (signal?.aborted) giveUp();
    else if (signal !== undefined) listenForAbort(signal, giveUp);
    conversation
      .call('subscriptions/listen', { notifications: filterToListen(asked) }, { signal: controller.signal, sent })
      .then(() => ended(), ended);
  });
}

const unacknowledged = (when: string, code: 'timeout' | 'invalid-result'): TenonError =>
  new TenonError(code, `The server did not acknowledge subscriptions/listen ${when}.`);
