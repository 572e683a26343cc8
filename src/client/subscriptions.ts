/** Hears of changes on a server in the way of its revision, and gives them on as streams that outlive connections. */
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
  changesWithin,
  createChangeQueue,
  wants,
} from './changes.ts';
import { need } from './client.ts';
import { fateOf } from './life/fate.ts';
import type { Line } from './line.ts';
import { type Attachment, type Listener, listen, subscribe } from './listening.ts';

export interface Subscriptions {
  open(filter: ChangeFilter): Promise<Changes>;
  /** There is a new connection: what is watched is asked for again, and readers hear that they may have missed news. */
  restore(line: Line): Promise<void>;
  told(news: News): void;
  /** No connection will come any more. */
  closed(reason: Error | undefined): void;
}

export interface SubscriptionPorts {
  readonly deadlines: Deadlines;
  readonly timeoutMs: number;
  /** The connection as soon as there is one. */
  reach(): Promise<Line>;
  /** Whether a connection that broke off is made again. */
  readonly reconnects: boolean;
  /** How long to wait before a stream that broke off is opened again. */
  waitMs(failures: number): number;
  fault(error: Error): void;
}

/** One stream of changes, over however many connections. */
export interface Stream {
  asked: ChangeFilter;
  readonly queue: ChangeQueue;
  attachment: Attachment | undefined;
  failures: number;
}

export function createSubscriptions(ports: SubscriptionPorts): Subscriptions {
  const streams = new Set<Stream>();
  const listening = new Map<RequestId, Listener>();
  let over: TenonError | undefined;

  /** Asks the server for what a stream wants; `broke` hears when the asking itself breaks off later. */
  function attach(line: Line, stream: Stream, filter: ChangeFilter): Promise<Attachment> {
    const broke = (error: Error | undefined): void => brokeOff(line, stream, error);
    const begin = (attachment: Attachment): void => {
      stream.attachment = attachment;
    };
    return line.conversation.revision.client.requests.has('subscriptions/listen')
      ? listen(line, filter, { listening, queue: stream.queue, broke, ...ports })
      : subscribe(line, filter, { attachments, begin, timeoutMs: ports.timeoutMs });
  }

  const attachments = (): Attachment[] => [...streams].flatMap(({ attachment }) => attachment ?? []);

  function brokeOff(line: Line, stream: Stream, error: Error | undefined): void {
    stream.attachment = undefined;
    if (!streams.has(stream)) return stream.queue.end();
    const lost = error !== undefined && fateOf(error) !== 'settled' && ports.reconnects;
    if (!lost) return end(stream, error);
    // A whole connection that is over comes back by `restore`; a stream alone is opened again here.
    if (line.isOver) return;
    stream.failures++;
    ports.deadlines.add(ports.waitMs(stream.failures), () => {
      if (streams.has(stream) && !line.isOver) void reattach(line, stream);
    });
  }

  function end(stream: Stream, error?: Error): void {
    streams.delete(stream);
    stream.queue.end(error);
  }

  async function reattach(line: Line, stream: Stream): Promise<void> {
    try {
      stream.attachment = await attach(line, stream, stream.asked);
      stream.failures = 0;
      for (const change of changesWithin(stream.attachment.honoured)) stream.queue.put(change);
    } catch (error) {
      if (line.isOver && ports.reconnects) return;
      ports.fault(error as Error);
      brokeOff(line, stream, error as Error);
    }
  }

  async function close(stream: Stream): Promise<void> {
    if (!streams.delete(stream)) return;
    stream.queue.end();
    const { attachment } = stream;
    stream.attachment = undefined;
    await attachment?.release();
  }

  /** The new way of hearing is open before the old one is given up, so that nothing falls between. */
  async function update(stream: Stream, filter: ChangeFilter): Promise<void> {
    const line = await ports.reach();
    const before = stream.attachment;
    const attachment = await attach(line, stream, filter);
    stream.asked = filter;
    stream.attachment = attachment;
    await before?.release();
  }

  return {
    async open(filter) {
      if (over !== undefined) throw over;
      const line = await ports.reach();
      const { tools, prompts, resources, uris = [] } = filter;
      // Less than was asked for can be honoured; nothing at all cannot.
      if (uris.length > 0 && !tools && !prompts && !resources) need(line.capabilities, 'resources');
      const stream: Stream = { asked: filter, queue: createChangeQueue(filter), attachment: undefined, failures: 0 };
      streams.add(stream);
      try {
        stream.attachment = await attach(line, stream, filter);
      } catch (error) {
        streams.delete(stream);
        throw error;
      }
      return changesOf(
        stream,
        () => close(stream),
        (changed) => update(stream, changed),
      );
    },
    restore: async (line) => void (await Promise.all([...streams].map((stream) => reattach(line, stream)))),
    told({ method, params, subscription }) {
      if (method === 'notifications/cancelled') return listening.get(params?.requestId as RequestId)?.takenBack();
      const change = changeOf(method, params);
      if (subscription !== undefined) {
        const listener = listening.get(subscription);
        if (method === 'notifications/subscriptions/acknowledged')
          return listener?.acknowledged(params?.notifications as SubscriptionFilter);
        if (change !== undefined && listener && wants(listener.filter, change)) listener.queue.put(change);
        return;
      }
      if (change === undefined) return;
      for (const { attachment, queue } of streams)
        if (attachment?.unasked && wants(attachment.honoured, change)) queue.put(change);
    },
    closed(reason) {
      over = new TenonError(
        'connection-closed',
        'The connection is closed.',
        reason === undefined ? {} : { cause: reason },
      );
      for (const { queue } of streams) queue.end(over);
      streams.clear();
    },
  };
}

function changesOf(
  stream: Stream,
  close: () => Promise<void>,
  update: (filter: ChangeFilter) => Promise<void>,
): Changes {
  let honoured: ChangeFilter = {};
  return {
    get honoured() {
      honoured = stream.attachment?.honoured ?? honoured;
      return honoured;
    },
    update,
    close,
    [Symbol.asyncDispose]: close,
    [Symbol.asyncIterator]: () => ({
      next: () => stream.queue.next(),
      async return() {
        await close();
        return { done: true, value: undefined };
      },
    }),
  };
}
