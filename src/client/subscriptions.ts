/** Hears of changes on a server in the way of its revision, and gives them on as streams that outlive connections. */
import type { Deadline, Deadlines } from '../jsonrpc/deadlines.ts';
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
  /** News may have been missed. */
  missed(): void;
  fault(error: Error): void;
}

/** One stream of changes, over however many connections. */
interface Stream {
  asked: ChangeFilter;
  readonly queue: ChangeQueue;
  attachment: Attachment | undefined;
  failures: number;
  /** Runs while a stream that broke off by itself waits to be opened again. */
  wait: Deadline | undefined;
}

export const createSubscriptions = (ports: SubscriptionPorts): Subscriptions => new Streams(ports);

class Streams implements Subscriptions {
  readonly #streams = new Set<Stream>();
  readonly #listening = new Map<RequestId, Listener>();
  readonly #ports: SubscriptionPorts;
  #over: TenonError | undefined;

  constructor(ports: SubscriptionPorts) {
    this.#ports = ports;
  }

  async open(filter: ChangeFilter): Promise<Changes> {
    if (this.#over !== undefined) throw this.#over;
    const line = await this.#ports.reach();
    const { tools, prompts, resources, uris = [] } = filter;
    // Less than was asked for can be honoured; nothing at all cannot.
    if (uris.length > 0 && !tools && !prompts && !resources) need(line.capabilities, 'resources');
    const queue = createChangeQueue(filter);
    const stream: Stream = { asked: filter, queue, attachment: undefined, failures: 0, wait: undefined };
    this.#streams.add(stream);
    try {
      stream.attachment = await this.#attach(line, stream, filter);
    } catch (error) {
      this.#streams.delete(stream);
      throw error;
    }
    return changesOf(
      stream,
      () => this.#close(stream),
      (changed) => this.#update(stream, changed),
    );
  }

  async restore(line: Line): Promise<void> {
    // What another connection gave counts for none of them, or each would leave the asking to the others.
    for (const stream of this.#streams) this.#detach(stream);
    await Promise.all([...this.#streams].map((stream) => this.#reattach(line, stream)));
  }

  told({ method, params, subscription }: News): void {
    if (method === 'notifications/cancelled') return this.#listening.get(params?.requestId as RequestId)?.takenBack();
    const change = changeOf(method, params);
    if (subscription !== undefined) {
      const listener = this.#listening.get(subscription);
      if (method === 'notifications/subscriptions/acknowledged')
        return listener?.acknowledged(params?.notifications as SubscriptionFilter);
      if (change !== undefined && listener && wants(listener.filter, change)) listener.queue.put(change);
      return;
    }
    if (change === undefined) return;
    for (const { attachment, queue } of this.#streams)
      if (attachment?.unasked && wants(attachment.honoured, change)) queue.put(change);
  }

  closed(reason: Error | undefined): void {
    const cause = reason === undefined ? {} : { cause: reason };
    this.#over = new TenonError('connection-closed', 'The connection is closed.', cause);
    for (const stream of this.#streams) this.#end(stream, this.#over);
  }

  /** Asks the server for what a stream wants, in the way of its revision. */
  #attach(line: Line, stream: Stream, filter: ChangeFilter): Promise<Attachment> {
    const broke = (error: Error | undefined): void => this.#brokeOff(line, stream, error);
    const begin = (attachment: Attachment): void => {
      stream.attachment = attachment;
    };
    const attachments = (): Attachment[] => [...this.#streams].flatMap(({ attachment }) => attachment ?? []);
    const { deadlines, timeoutMs } = this.#ports;
    return line.conversation.revision.client.requests.has('subscriptions/listen')
      ? listen(line, filter, { listening: this.#listening, queue: stream.queue, broke, deadlines, timeoutMs })
      : subscribe(line, filter, { attachments, begin, timeoutMs });
  }

  /** What a stream had is gone; whoever calls this knows what follows. */
  #detach(stream: Stream): void {
    stream.attachment = undefined;
    if (stream.wait !== undefined) this.#ports.deadlines.cancel(stream.wait);
    stream.wait = undefined;
  }

  #brokeOff(line: Line, stream: Stream, error: Error | undefined): void {
    const { deadlines, reconnects, waitMs } = this.#ports;
    this.#detach(stream);
    if (!this.#streams.has(stream)) return stream.queue.end();
    const lost = error !== undefined && fateOf(error) !== 'settled' && reconnects;
    if (!lost) return this.#end(stream, error);
    // A whole connection that is over comes back by `restore`; a stream alone is opened again here.
    if (line.isOver) return;
    stream.failures++;
    stream.wait = deadlines.add(waitMs(stream.failures), () => {
      stream.wait = undefined;
      if (!line.isOver) void this.#reattach(line, stream);
    });
  }

  async #reattach(line: Line, stream: Stream): Promise<void> {
    try {
      const attachment = await this.#attach(line, stream, stream.asked);
      if (!this.#streams.has(stream)) return await attachment.release();
      stream.attachment = attachment;
      stream.failures = 0;
      this.#ports.missed();
      for (const change of changesWithin(attachment.honoured)) stream.queue.put(change);
    } catch (error) {
      if ((line.isOver && this.#ports.reconnects) || !this.#streams.has(stream)) return;
      this.#ports.fault(error as Error);
      this.#brokeOff(line, stream, error as Error);
    }
  }

  #end(stream: Stream, error?: Error): void {
    this.#streams.delete(stream);
    this.#detach(stream);
    stream.queue.end(error);
  }

  async #close(stream: Stream): Promise<void> {
    if (!this.#streams.has(stream)) return;
    const { attachment } = stream;
    this.#end(stream);
    await attachment?.release();
  }

  /** The new way of hearing is open before the old one is given up, so that nothing falls between. */
  async #update(stream: Stream, filter: ChangeFilter): Promise<void> {
    const line = await this.#ports.reach();
    const before = stream.attachment;
    const attachment = await this.#attach(line, stream, filter);
    stream.asked = filter;
    stream.attachment = attachment;
    await before?.release();
  }
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
