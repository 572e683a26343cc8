/** The transport interface: text messages in both directions, each one JSON text. */

import { TenonError } from '../jsonrpc/errors.ts';
import type { Message, RequestId } from '../jsonrpc/message.ts';

/** The callbacks of a transport. They are never called from inside `open`, `send` or `close`. */
export interface TransportListener {
  /** One whole message, in the order the other side sent them. */
  onMessage(text: string): void;
  /** The last call, exactly once. `reason` is why this side closed, or what broke the transport; it is absent when the other side closed. */
  onClose(reason?: Error): void;
  /** One message was dropped; the transport continues. */
  onWarning?(error: TenonError): void;
  /** A request that was sent will get no answer, for this reason; the transport continues. For transports that carry each request separately. */
  onRequestError?(id: RequestId, error: Error): void;
  /** Notifications of the other side may have been lost; the transport continues. */
  missed?(): void;
  /** Whether a caller still waits for the answer to a request. A transport calls it before it resumes a broken answer. */
  waits?(id: RequestId): boolean;
}

/** Carries text messages between two sides, one JSON text each. */
export interface Transport {
  /** `idle` until `open`; `closed` as soon as this side has closed or knows that the other did. */
  readonly state: 'idle' | 'open' | 'closed';
  /** Starts delivery; once. Throws `already-open` the second time and `connection-closed` after `close`. */
  open(listener: TransportListener): void;
  /**
   * Queues one message, without raw line breaks, as `JSON.stringify` writes it. Throws `connection-closed` when closed.
   * Throws `queue-full` when more is queued than the limit, and closes: a caller may wait for what was lost. `message` is
   * the parsed form of `frame`, for transports that repeat parts of it, for example in headers.
   */
  send(frame: string, message?: Message): void;
  /**
   * Closes both directions; idempotent. The other side's listener gets `onClose()` after the messages already sent;
   * this side's gets no further message, then `onClose(reason)`.
   */
  close(reason?: Error): void;
  /** Where closing takes time: settles when all resources of the transport are released. */
  readonly finished?: Promise<unknown> | undefined;
}

/** Passes one message to a listener. If the listener throws, its `onWarning` gets the error, and later messages still arrive. */
export function deliverFrame(listener: TransportListener, text: string): void {
  try {
    listener.onMessage(text);
  } catch (error) {
    reportThrown(listener, 'onMessage', error);
  }
}

/** Calls `onClose` of a listener, guarded as in `deliverFrame`. */
export function deliverClosed(listener: TransportListener, reason?: Error): void {
  try {
    listener.onClose(reason);
  } catch (error) {
    reportThrown(listener, 'onClose', error);
  }
}

/** Without `onWarning`, or with one that throws too, the error becomes uncaught: it is never lost. */
function reportThrown(listener: TransportListener, callback: 'onMessage' | 'onClose', cause: unknown): void {
  if (listener.onWarning === undefined) return throwLater(cause);
  const hint = 'Catch errors inside the listener.';
  try {
    listener.onWarning(
      new TenonError('callback-failed', `The listener of a transport threw in ${callback}().`, { hint, cause }),
    );
  } catch (error) {
    throwLater(error);
  }
}

function throwLater(error: unknown): void {
  queueMicrotask(() => {
    throw error;
  });
}
