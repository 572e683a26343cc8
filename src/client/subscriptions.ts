/** Hears of changes on a server in the way of its revision, and gives them on as streams. */
import type { Deadlines } from '../jsonrpc/deadlines.ts';
import { TenonError } from '../jsonrpc/errors.ts';
import type { RequestId } from '../jsonrpc/message.ts';
import type { SubscriptionFilter } from '../protocol/generated/types/records.ts';
import type { News } from '../protocol/neutral.ts';
import {
  type ChangeFilter,
  type ChangeQueue,
  type Changes,
  changeOf,
  createChangeQueue,
  filterHonoured,
  filterToListen,
  wants,
} from './changes.ts';
import { declares, need } from './client.ts';
import type { Opened } from './opening.ts';

export interface Subscriptions {
  open(filter: ChangeFilter): Promise<Changes>;
  told(news: News): void;
  closed(reason: Error | undefined): void;
}

/** How long a server may take to say that it will tell of changes. */
export interface Patience {
  readonly deadlines: Deadlines;
  readonly timeoutMs: number;
}

interface Stream {
  readonly filter: ChangeFilter;
  readonly queue: ChangeQueue;
}

interface Listener extends Stream {
  acknowledged(filter: SubscriptionFilter): void;
  /** The server has taken it back; a result may follow or not. */
  takenBack(): void;
}

export function createSubscriptions(opened: Opened, patience: Patience): Subscriptions {
  const { revision } = opened.conversation;
  const streams = new Set<Stream>();
  const listening = new Map<RequestId, Listener>();
  let over: TenonError | undefined;
  const openStream = revision.client.requests.has('subscriptions/listen')
    ? (filter: ChangeFilter) => listen(opened, filter, listening, patience)
    : (filter: ChangeFilter) => subscribe(opened, filter, streams, patience);
  return {
    async open(filter) {
      if (over !== undefined) throw over;
      const { tools, prompts, resources, uris = [] } = filter;
      // Less than was asked for can be honoured; nothing at all cannot.
      if (uris.length > 0 && !tools && !prompts && !resources) need(opened.capabilities, 'resources');
      return openStream(filter);
    },
    told({ method, params, subscription }) {
      if (method === 'notifications/cancelled') return listening.get(params?.requestId as RequestId)?.takenBack();
      if (subscription !== undefined) {
        const listener = listening.get(subscription);
        if (method === 'notifications/subscriptions/acknowledged')
          return listener?.acknowledged(params?.notifications as SubscriptionFilter);
        const change = changeOf(method, params);
        if (change !== undefined && listener && wants(listener.filter, change)) listener.queue.put(change);
        return;
      }
      const change = changeOf(method, params);
      if (change === undefined) return;
      for (const { filter, queue } of streams) if (wants(filter, change)) queue.put(change);
    },
    closed(reason) {
      over = new TenonError(
        'connection-closed',
        'The connection is closed.',
        reason === undefined ? {} : { cause: reason },
      );
      for (const { queue } of streams) queue.end(over);
      // Nothing is left to be taken back. Who listens hears by the end of its own request.
      streams.clear();
    },
  };
}

const streamOf = (queue: ChangeQueue, honoured: ChangeFilter, close: () => Promise<void>): Changes => ({
  honoured,
  close,
  [Symbol.asyncDispose]: close,
  [Symbol.asyncIterator]: () => ({
    next: () => queue.next(),
    async return() {
      await close();
      return { done: true, value: undefined };
    },
  }),
});

/** In a session lists announce themselves, and resources are subscribed to one by one. */
async function subscribe(
  { conversation, capabilities }: Opened,
  asked: ChangeFilter,
  streams: Set<Stream>,
  { timeoutMs }: Patience,
): Promise<Changes> {
  const honoured: ChangeFilter = {
    ...(asked.tools && declares(capabilities, 'tools.listChanged') && { tools: true }),
    ...(asked.prompts && declares(capabilities, 'prompts.listChanged') && { prompts: true }),
    ...(asked.resources && declares(capabilities, 'resources.listChanged') && { resources: true }),
    ...(asked.uris && declares(capabilities, 'resources.subscribe') && { uris: asked.uris }),
  };
  const stream: Stream = { filter: honoured, queue: createChangeQueue(honoured) };
  const isWatched = (uri: string): boolean => [...streams].some(({ filter }) => filter.uris?.includes(uri));
  // All at once: what another stream begins to watch meanwhile is not taken from it.
  const tellAll = (method: string): Promise<unknown> => {
    const uris = [...new Set(honoured.uris)].filter((uri) => !isWatched(uri));
    return Promise.all(uris.map((uri) => conversation.call(method, { uri }, { timeoutMs })));
  };
  const subscribed = tellAll('resources/subscribe');
  streams.add(stream);
  const close = async (): Promise<void> => {
    if (!streams.delete(stream)) return;
    stream.queue.end();
    await tellAll('resources/unsubscribe');
  };
  try {
    await subscribed;
  } catch (error) {
    await close().catch(() => {});
    throw error;
  }
  return streamOf(stream.queue, honoured, close);
}

/** In an exchange one request stays open for as long as changes are wanted. */
function listen(
  { conversation }: Opened,
  asked: ChangeFilter,
  listening: Map<RequestId, Listener>,
  { deadlines, timeoutMs }: Patience,
): Promise<Changes> {
  const queue = createChangeQueue(asked);
  const controller = new AbortController();
  const close = async (): Promise<void> => {
    queue.end();
    controller.abort('closed');
  };
  return new Promise((resolve, reject) => {
    let id: RequestId | undefined;
    const tooLate = deadlines.add(timeoutMs, () => {
      reject(unacknowledged(`within ${timeoutMs} ms`, 'timeout'));
      void close();
    });
    const acknowledged = (filter: SubscriptionFilter): void => {
      deadlines.cancel(tooLate);
      resolve(streamOf(queue, filterHonoured(filter), close));
    };
    const sent = (own: RequestId): void => {
      id = own;
      listening.set(own, { filter: asked, queue, acknowledged, takenBack: () => ended() });
    };
    const ended = (error?: Error): void => {
      deadlines.cancel(tooLate);
      if (id !== undefined) listening.delete(id);
      queue.end(controller.signal.aborted ? undefined : error);
      reject(error ?? unacknowledged('before it ended it', 'invalid-result'));
    };
    conversation
      .call('subscriptions/listen', { notifications: filterToListen(asked) }, { signal: controller.signal, sent })
      .then(() => ended(), ended);
  });
}

const unacknowledged = (when: string, code: 'timeout' | 'invalid-result'): TenonError =>
  new TenonError(code, `The server did not acknowledge subscriptions/listen ${when}.`);
