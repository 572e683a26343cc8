/** Messages between the endpoints that share a store, about sessions that more than one of them holds. */
import { TenonError } from '../../../../jsonrpc/errors.ts';
import type { ErrorMessage, RequestId, ResultMessage } from '../../../../jsonrpc/message.ts';
import type { Notification } from '../../../../protocol/neutral.ts';
import type { MessageBus } from '../../../../store/bus/message-bus.ts';
import { runInBackground } from '../../../../store/maybe-promise.ts';
import type { SessionUpdate } from '../../../ports/link.ts';
import type { Warn } from '../../reporting/warnings.ts';
import type { NotifierClaim } from './notifier-claim.ts';

/** About a stream: a client has resumed it or left it, there are more events, or its client is to reconnect later. */
export type StreamMessage =
  | { readonly kind: 'left' | 'appended'; readonly stream: string }
  /** `claim` is set by the endpoint that notifies the session from now on. */
  | { readonly kind: 'resumed'; readonly stream: string; readonly claim?: NotifierClaim }
  | { readonly kind: 'paused'; readonly stream: string; readonly retryMs: number };

export type SessionMessage =
  | StreamMessage
  | { readonly kind: 'updated'; readonly update: SessionUpdate }
  | { readonly kind: 'cancelled'; readonly id: RequestId; readonly reason?: unknown }
  /** `to` is the endpoint that sent the request. */
  | { readonly kind: 'answered'; readonly to: string; readonly message: ResultMessage | ErrorMessage }
  | { readonly kind: 'progress'; readonly to: string; readonly notification: Notification }
  | { readonly kind: 'ended'; readonly reason: string };

/** About a session, or about a principal that was revoked. */
type Envelope =
  | { readonly from: string; readonly session: string; readonly message: SessionMessage }
  | { readonly from: string; readonly revoked: string };

export interface NodeBus {
  /** The name of this endpoint among those that share the store. */
  readonly node: string;
  publish(session: string, message: SessionMessage): void;
  /** A principal was revoked, by its key. */
  publishRevoked(owner: string): void;
  close(): void;
}

const topic = 'tenon/sessions';

/** Gets the messages of other endpoints. */
export interface NodeListener {
  onMessage(session: string, message: SessionMessage): void;
  onRevoked(owner: string): void;
}

export function joinNodeBus(bus: MessageBus, { onMessage, onRevoked }: NodeListener, warn: Warn): NodeBus {
  const node = newNode();
  const failed = (cause: unknown): void => warn(publishFailed(cause));
  const stop = listen(bus, topic, failed, (text) => {
    const envelope = JSON.parse(text) as Envelope;
    if (envelope.from === node) return;
    if ('revoked' in envelope) onRevoked(envelope.revoked);
    else onMessage(envelope.session, envelope.message);
  });
  const send = (envelope: Envelope): void =>
    runInBackground(() => bus.publish(topic, JSON.stringify(envelope)), failed);
  return {
    node,
    publish: (session, message) => send({ from: node, session, message }),
    publishRevoked: (revoked) => send({ from: node, revoked }),
    close: stop,
  };
}

/** Subscribes to a topic of the bus. A failure goes to `failed` and does not end the subscription. Returns a function that stops. */
export function listen(
  bus: MessageBus,
  topic: string,
  failed: (cause: unknown) => void,
  onMessage: (text: string) => void,
): () => void {
  let unsubscribe = (): void => {};
  let isStopped = false;
  const receive = (text: string): void => {
    try {
      if (!isStopped) onMessage(text);
    } catch (cause) {
      failed(cause);
    }
  };
  const subscribe = async (): Promise<void> => {
    const stop = await bus.subscribe(topic, receive);
    if (isStopped) stop();
    else unsubscribe = stop;
  };
  runInBackground(subscribe, failed);
  return () => {
    isStopped = true;
    unsubscribe();
  };
}

const publishFailed = (cause: unknown): TenonError =>
  new TenonError('store-failed', 'A message could not be published to the endpoints that share the store.', { cause });

/** Short, since it is part of ids; letters and digits only, since those ids are parsed. */
const newNode = (): string =>
  Array.from(crypto.getRandomValues(new Uint8Array(8)), (byte) => (byte % 36).toString(36)).join('');

/** An id or a token as the client gets it. With several endpoints it names the one that waits for the response. */
export const addressed = <T extends RequestId>(own: T, nodeBus: NodeBus | undefined): T | string =>
  nodeBus === undefined ? own : `${nodeBus.node}-${own}`;

/** The endpoint that an id or a token names, and the id or token as that endpoint knows it. */
export function readAddress(given: unknown): { readonly to: string | undefined; readonly own: unknown } {
  const [, to, own] = (typeof given === 'string' && /^([0-9a-z]{8})-(\d{1,15})$/.exec(given)) || [];
  return own === undefined ? { to: undefined, own: given } : { to, own: Number(own) };
}
