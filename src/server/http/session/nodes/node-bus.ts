/** Messages between the endpoints that share a store, about sessions that more than one of them holds. */

import type { RequestId } from '../../../../jsonrpc/message.ts';
import { TenonError } from '../../../../lib/errors/tenon-error.ts';
import type { Deadline, Deadlines } from '../../../../lib/time/deadlines.ts';
import { runInBackground } from '../../../../lib/values/maybe-promise.ts';
import type { Notification } from '../../../../protocol/neutral.ts';
import type { MessageBus } from '../../../../store/message-bus.ts';
import type { Warn } from '../../reporting/warnings.ts';
import { storeCodeOf } from '../session-record.ts';
import { newNodeName } from './addresses.ts';
import type { NotifierClaim } from './notifier-claim.ts';

/** About a stream: a client has resumed it or left it, there are more events, or its client is to reconnect later. */
export type StreamMessage =
  | { readonly kind: 'left' | 'appended'; readonly stream: string }
  /** `claim` is set by the endpoint that notifies the session from now on; `isUnread` if no client listens there. */
  | { readonly kind: 'resumed'; readonly stream: string; readonly claim?: NotifierClaim; readonly isUnread?: boolean }
  | { readonly kind: 'paused'; readonly stream: string; readonly retryMs: number }
  /** The endpoint that notified the session closes: one that holds it takes over. */
  | { readonly kind: 'released'; readonly stream: string; readonly claim: NotifierClaim };

export type SessionMessage =
  | StreamMessage
  /** The client has set something: the record has it. */
  | { readonly kind: 'updated' }
  | { readonly kind: 'cancelled'; readonly id: RequestId; readonly reason?: unknown }
  /** The record has an answer for `to`, the endpoint that sent the request. */
  | { readonly kind: 'answered'; readonly to: string }
  | { readonly kind: 'progress'; readonly to: string; readonly notification: Notification }
  | { readonly kind: 'ended'; readonly reason: string };

/** About a session, about a principal that was revoked, or that messages of this endpoint could not be published. */
type Envelope =
  | { readonly from: string; readonly session: string; readonly message: SessionMessage }
  | { readonly from: string; readonly revoked: string }
  | { readonly from: string; readonly lost: true };

export interface NodeBus {
  /** The name of this endpoint among those that share the store. */
  readonly node: string;
  /** A number that this endpoint has not had yet. */
  nextSerial(): number;
  publish(session: string, message: SessionMessage): void;
  /** Resolves when the message is published; rejects if it was not. */
  announce(session: string, message: SessionMessage): Promise<void>;
  /** A principal was revoked, by its key. */
  publishRevoked(owner: string): void;
  /** Resolves when everything so far is published. */
  published(): Promise<unknown>;
  close(): void;
}

const topic = 'tenon/sessions';

/** Gets the messages of other endpoints. */
export interface NodeListener {
  onMessage(session: string, message: SessionMessage): void;
  onRevoked(owner: string): void;
  /** Messages may have been lost: records have what they were about. */
  onMissed(): void;
}

/** How long an endpoint waits before it subscribes or publishes again. */
const retryMs = 1000;

export function joinNodeBus(
  bus: MessageBus,
  deadlines: Deadlines,
  { onMessage, onRevoked, onMissed }: NodeListener,
  warn: Warn,
): NodeBus {
  const node = newNodeName();
  let serial = 0;
  let reporting: Deadline | undefined;
  let isClosed = false;
  const failed = (cause: unknown): void => warn(publishFailed(cause));
  const receive = (text: string): void => {
    const envelope = JSON.parse(text) as Envelope;
    if (envelope.from === node) return;
    if ('revoked' in envelope) onRevoked(envelope.revoked);
    else if ('lost' in envelope) onMissed();
    else onMessage(envelope.session, envelope.message);
  };
  const stop = listen(bus, topic, deadlines, { failed, onMessage: receive, onMissed });

  /** The others read the records once they learn that messages of this endpoint were lost. */
  const reportLoss = (): void => {
    if (isClosed) return;
    const lost: Envelope = { from: node, lost: true };
    reporting ??= deadlines.add(
      retryMs,
      () => {
        reporting = undefined;
        runInBackground(() => bus.publish(topic, JSON.stringify(lost)), reportLoss);
      },
      false,
    );
  };
  const publishing = new Set<Promise<void>>();
  const publish = async (envelope: Envelope): Promise<void> => {
    try {
      await bus.publish(topic, JSON.stringify(envelope));
    } catch (cause) {
      reportLoss();
      throw cause;
    }
  };
  const send = (envelope: Envelope): void => {
    const done: Promise<void> = publish(envelope)
      .catch(failed)
      .finally(() => publishing.delete(done));
    publishing.add(done);
  };
  return {
    node,
    nextSerial: () => serial++,
    publish: (session, message) => send({ from: node, session, message }),
    announce: (session, message) => publish({ from: node, session, message }),
    publishRevoked: (revoked) => send({ from: node, revoked }),
    published: () => Promise.all(publishing),
    close() {
      isClosed = true;
      if (reporting !== undefined) deadlines.cancel(reporting);
      stop();
    },
  };
}

interface TopicListener {
  onMessage(text: string): void;
  onMissed(): void;
  failed(cause: unknown): void;
}

/** Subscribes to a topic of the bus, again and again until it succeeds. A failure does not end the subscription. Returns a function that stops. */
export function listen(
  bus: MessageBus,
  topic: string,
  deadlines: Deadlines,
  { onMessage, onMissed, failed }: TopicListener,
): () => void {
  let unsubscribe = (): void => {};
  let retry: Deadline | undefined;
  let isStopped = false;
  const guarded = (run: () => void): void => {
    try {
      if (!isStopped) run();
    } catch (cause) {
      failed(cause);
    }
  };
  const missed = (): void => guarded(onMissed);
  const subscribe = async (): Promise<void> => {
    const stop = await bus.subscribe(topic, (text) => guarded(() => onMessage(text)), missed);
    if (isStopped) return stop();
    unsubscribe = stop;
    // Messages that were published before this moment did not arrive.
    missed();
  };
  const start = (): void =>
    runInBackground(subscribe, (cause) => {
      if (isStopped) return;
      if (retry === undefined) failed(cause);
      retry = deadlines.add(retryMs, start, false);
    });
  start();
  return () => {
    isStopped = true;
    if (retry !== undefined) deadlines.cancel(retry);
    unsubscribe();
  };
}

const publishFailed = (cause: unknown): TenonError =>
  new TenonError(storeCodeOf(cause), 'A message could not be published to the endpoints that share the store.', {
    cause,
  });
