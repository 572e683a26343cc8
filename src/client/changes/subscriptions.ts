/** Hears of changes on a server in the way of its revision, and gives them on as streams that outlive connections. */
import type { Deadline, Deadlines } from '../../jsonrpc/deadlines.ts';
import { TenonError } from '../../jsonrpc/errors.ts';
import type { RequestId } from '../../jsonrpc/message.ts';
import type { SubscriptionFilter } from '../../protocol/generated/types/records.ts';
import type { News } from '../../protocol/neutral.ts';
import { type ChangeFilter, type Changes } from '../api/changes.ts';
import { need } from '../api/client.ts';
import type { Line } from '../connection/connection.ts';
import { soonOr } from '../connection/negotiation/opening.ts';
import { replaced } from '../connection/negotiation/rediscovery.ts';
import { askOnSomeLine, type Bounds, isReplaced, reachFor, type Wait } from '../reconnect/request-retries.ts';
import { isLasting } from '../retry/backoff.ts';
import { type ChangeQueue, changeOf, changesWithin, createChangeQueue, isChangeFilter, wants } from './changes.ts';
import { type Attachment, type Listener, listen, subscribe } from './listening.ts';

export interface SubscriptionPorts {
  readonly deadlines: Deadlines;
  readonly timeoutMs: number;
  /** The connection as soon as there is one. */
  reach: Wait['reach'];
  pause: Wait['pause'];
  /** Whether a connection that broke off is made again. */
  readonly reconnects: boolean;
  /** How long to wait before a stream that broke off is opened again. */
  waitMs(failures: number, error: Error | undefined): number;
  /** News may have been missed. */
  missed(): void;
  fault(error: Error): void;
}

/** One stream of changes, over however many connections. */
interface Stream {
  asked: ChangeFilter;
  readonly queue: ChangeQueue;
  attachment: Attachment | undefined;
  /** The connection that it is asked for on: what comes of any other concerns it no more. */
  line: Line;
  failures: number;
  /** When it was opened last. */
  openedAt: number;
  /** Runs while a stream that broke off by itself waits to be opened again. */
  wait: Deadline | undefined;
}

/** What another attempt does not mend. Nothing at a path may be a server that is being replaced. */
const isLastWord = (error: Error | undefined): boolean =>
  isLasting(error) && !(error instanceof TenonError && error.code === 'endpoint-missing');

/** How long a stream has to hold before failures count from the start again. */
const settleMs = 10_000;

/** How long whoever ends a stream waits for the server to let go of it. */
const releaseMs = 1000;

export class Subscriptions {
  readonly #streams = new Set<Stream>();
  readonly #listening = new Map<RequestId, Listener>();
  readonly #ports: SubscriptionPorts;
  #over: TenonError | undefined;

  constructor(ports: SubscriptionPorts) {
    this.#ports = ports;
  }

  async open(filter: ChangeFilter, wait: Partial<Bounds> = {}): Promise<Changes> {
    if (this.#over !== undefined) throw this.#over;
    if (!isChangeFilter(filter)) throw unfiltered();
    const stream = await this.#ask(wait, (line, bounds) => this.#begin(line, filter, bounds));
    return changesOf(
      stream,
      () => this.#close(stream),
      (changed) => this.#ask({}, (line, bounds) => this.#update(line, stream, changed, bounds)),
    );
  }

  /** A connection that turns out to be gone is waited for anew, as by any other call. */
  async #ask<T>(given: Partial<Bounds>, ask: (line: Line, bounds: Bounds) => Promise<T>): Promise<T> {
    const { deadlines, reconnects, timeoutMs: usual, reach, pause } = this.#ports;
    const { timeoutMs = usual, signal } = given;
    if (reconnects) return askOnSomeLine({ timeoutMs, signal, reach, pause }, deadlines, ask);
    return ask(await reachFor({ timeoutMs, signal, reach }, timeoutMs), { timeoutMs, signal });
  }

  async #begin(line: Line, filter: ChangeFilter, bounds: Bounds): Promise<Stream> {
    const { tools, prompts, resources, uris = [] } = filter;
    // Less than was asked for can be honoured; nothing at all cannot.
    if (uris.length > 0 && !tools && !prompts && !resources) need(line.capabilities, 'resources');
    const queue = createChangeQueue(filter);
    const openedAt = this.#ports.deadlines.now();
    const fresh = { attachment: undefined, failures: 0, wait: undefined };
    const stream: Stream = { asked: filter, queue, line, openedAt, ...fresh };
    this.#streams.add(stream);
    try {
      stream.attachment = await this.#attach(line, stream, filter, bounds);
    } catch (error) {
      this.#streams.delete(stream);
      throw error;
    }
    return stream;
  }

  async restore(line: Line): Promise<void> {
    // What another connection gave counts for none of them, or each would leave the asking to the others.
    for (const stream of this.#streams) {
      this.#detach(stream);
      stream.line = line;
    }
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

  /** Whoever reads hears that there may have been news, where nobody was told of it by a request of its own. */
  missed(): void {
    for (const { attachment, queue } of this.#streams)
      if (attachment?.unasked) for (const change of changesWithin(attachment.honoured)) queue.put(change);
  }

  /** No connection will come any more; whoever reads hears of it as an error, unless the user wanted it so. */
  closed(reason: Error | undefined, isWanted: boolean): void {
    const cause = reason === undefined ? {} : { cause: reason };
    this.#over = new TenonError('connection-closed', 'The connection is closed.', cause);
    for (const stream of this.#streams) this.#end(stream, isWanted ? undefined : this.#over);
  }

  /** Asks the server for what a stream wants, in the way of its revision. */
  #attach(
    line: Line,
    stream: Stream,
    filter: ChangeFilter,
    bounds: Bounds,
    spare?: (error: Error) => void,
  ): Promise<Attachment> {
    const broke = (error: Error | undefined): void => this.#brokeOff(line, stream, error);
    const begin = (attachment: Attachment): void => {
      stream.attachment = attachment;
    };
    const attachments = (): Attachment[] => [...this.#streams].flatMap(({ attachment }) => attachment ?? []);
    const { deadlines, timeoutMs } = this.#ports;
    return line.conversation.revision.client.requests.has('subscriptions/listen')
      ? listen(line, filter, { listening: this.#listening, queue: stream.queue, broke, deadlines, ...bounds })
      : subscribe(line, filter, { attachments, begin, bounds, timeoutMs, spare });
  }

  /** What a stream had is gone; whoever calls this knows what follows. */
  #detach(stream: Stream): void {
    stream.attachment = undefined;
    if (stream.wait !== undefined) this.#ports.deadlines.cancel(stream.wait);
    stream.wait = undefined;
  }

  #brokeOff(line: Line, stream: Stream, error: Error | undefined): void {
    const { deadlines, reconnects, waitMs } = this.#ports;
    if (stream.line !== line) return;
    this.#detach(stream);
    if (!this.#streams.has(stream)) return stream.queue.end();
    // A server that goes in good order ends what listens without an error, and may be back.
    if (!reconnects || isLastWord(error)) return this.#end(stream, error);
    // A whole connection that is over comes back by `restore`; a stream alone is opened again here.
    if (line.isOver) return;
    stream.failures = deadlines.now() - stream.openedAt < settleMs ? stream.failures + 1 : 1;
    stream.wait = deadlines.add(waitMs(stream.failures, error), () => {
      stream.wait = undefined;
      if (!line.isOver) void this.#reattach(line, stream);
    });
  }

  async #reattach(line: Line, stream: Stream): Promise<void> {
    const { timeoutMs, reconnects, fault } = this.#ports;
    try {
      const attachment = await this.#attach(line, stream, stream.asked, { timeoutMs, signal: undefined }, fault);
      if (!this.#streams.has(stream) || stream.line !== line) return await this.#release(line, attachment);
      stream.attachment = attachment;
      stream.openedAt = this.#ports.deadlines.now();
      this.#ports.missed();
      for (const change of changesWithin(attachment.honoured)) stream.queue.put(change);
    } catch (error) {
      if (reconnects && (await isReplaced(line, error))) line.close(replaced(error));
      if ((line.isOver && reconnects) || !this.#streams.has(stream)) return;
      fault(error as Error);
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
    const { attachment, line } = stream;
    this.#end(stream);
    await this.#release(line, attachment);
  }

  /** Whoever ends a stream has ended it: what a server that is gone or silent makes of it is told, and holds nobody up. */
  async #release(line: Line, attachment: Attachment | undefined): Promise<void> {
    if (attachment === undefined || line.isOver) return;
    const { deadlines, fault } = this.#ports;
    const released = attachment.release().catch((error: Error) => line.isOver || fault(error));
    await soonOr(undefined, released, deadlines, releaseMs);
  }

  /** The new way of hearing is open before the old one is given up, so that nothing falls between. */
  async #update(line: Line, stream: Stream, filter: ChangeFilter, bounds: Bounds): Promise<void> {
    const before = stream.attachment;
    if (!this.#streams.has(stream)) throw noLonger();
    let attachment: Attachment;
    try {
      attachment = await this.#attach(line, stream, filter, bounds);
    } catch (error) {
      if (stream.line === line) stream.attachment = before;
      throw error;
    }
    const isOpen = this.#streams.has(stream);
    if (isOpen) {
      this.#detach(stream);
      stream.asked = filter;
      stream.attachment = attachment;
    } else await this.#release(line, attachment);
    await this.#release(line, before);
    if (!isOpen) throw noLonger();
  }
}

const noLonger = (): TenonError =>
  new TenonError('connection-closed', 'This stream of changes is closed.', { hint: 'Open another by changes().' });

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

const unfiltered = (): TenonError =>
  new TenonError('invalid-argument', 'changes: it is not said what to listen to.', {
    hint: 'Pass what is of interest, as in changes({ tools: true, uris: ["notes://today"] }).',
  });
