/** What endpoints that share a store tell each other of the sessions that more than one of them holds, and of changes. */
import { TenonError } from '../../../../jsonrpc/errors.ts';
import type { ErrorMessage, RequestId, ResultMessage } from '../../../../jsonrpc/message.ts';
import type { News } from '../../../../protocol/neutral.ts';
import { whenThere } from '../../../../store/maybe-promise.ts';
import type { Bus } from '../../../../store/message-bus.ts';
import type { LearnedFact } from '../../../ports/link.ts';
import type { Claim } from './notifier-claim.ts';

/** Of a stream: a reader has taken it up or left it, there is more on it, or its reader is to come back later. */
export type StreamMessage =
  | { readonly kind: 'left' | 'grown'; readonly stream: string }
  /** `claim` is made by who tells a session of changes from here on. */
  | { readonly kind: 'taken'; readonly stream: string; readonly claim?: Claim }
  | { readonly kind: 'paused'; readonly stream: string; readonly retryMs: number };

export type SessionMessage =
  | StreamMessage
  | { readonly kind: 'learned'; readonly fact: LearnedFact }
  | { readonly kind: 'cancelled'; readonly id: RequestId }
  /** `to` is the endpoint that has asked. */
  | { readonly kind: 'answered'; readonly to: string; readonly message: ResultMessage | ErrorMessage }
  | { readonly kind: 'progress'; readonly to: string; readonly news: News }
  | { readonly kind: 'ended'; readonly reason: string };

interface Envelope {
  readonly from: string;
  readonly session: string;
  readonly message: SessionMessage;
}

export interface Neighbours {
  /** The name of this endpoint among those that share the store. */
  readonly node: string;
  tell(session: string, message: SessionMessage): void;
  close(): void;
}

const topic = 'tenon/sessions';

/** Hears what others tell, never what this endpoint has told itself. */
export function joinNeighbours(
  bus: Bus,
  hear: (session: string, message: SessionMessage) => void,
  fault: (error: Error) => void,
): Neighbours {
  const node = newNode();
  const failed = (cause: unknown): void => fault(unheard(cause));
  const stop = listen(bus, topic, failed, (text) => {
    const { from, session, message } = JSON.parse(text) as Envelope;
    if (from !== node) hear(session, message);
  });
  return {
    node,
    tell(session, message) {
      const envelope: Envelope = { from: node, session, message };
      whenThere(
        () => bus.publish(topic, JSON.stringify(envelope)),
        () => {},
        failed,
      );
    },
    close: stop,
  };
}

/** Listens to a topic; what goes wrong there is told, and ends nothing. */
export function listen(
  bus: Bus,
  about: string,
  failed: (cause: unknown) => void,
  hear: (text: string) => void,
): () => void {
  let stop = (): void => {};
  let isOver = false;
  const guarded = (text: string): void => {
    try {
      if (!isOver) hear(text);
    } catch (cause) {
      failed(cause);
    }
  };
  const begun = (leave: () => void): void => {
    if (isOver) leave();
    else stop = leave;
  };
  whenThere(() => bus.subscribe(about, guarded), begun, failed);
  return () => {
    isOver = true;
    stop();
  };
}

const unheard = (cause: unknown): TenonError =>
  new TenonError('store-failed', 'Endpoints that share a store could not be told something.', { cause });

/** Short, since it stands in ids; of letters and digits alone, since those are taken apart again. */
const newNode = (): string =>
  Array.from(crypto.getRandomValues(new Uint8Array(8)), (byte) => (byte % 36).toString(36)).join('');

/** An id or a token as the client sees it: it names the endpoint that waits for it, where there are several. */
export const addressed = <T extends RequestId>(own: T, neighbours: Neighbours | undefined): T | string =>
  neighbours === undefined ? own : `${neighbours.node}-${own}`;

/** Which endpoint waits for what the client names; its own name for it. */
export function readAddress(given: unknown): { readonly to: string | undefined; readonly own: unknown } {
  const [, to, own] = (typeof given === 'string' && /^([0-9a-z]{8})-(\d{1,15})$/.exec(given)) || [];
  return own === undefined ? { to: undefined, own: given } : { to, own: Number(own) };
}
