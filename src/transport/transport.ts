/** The transport interface: sends and receives messages as text, one JSON text each. */

import type { Message, RequestId } from '../jsonrpc/message.ts';
import { TenonError } from '../lib/errors/tenon-error.ts';

/** The callbacks of a transport. They are never called from inside `open`, `send` or `close`. */
export interface TransportListener {
  /** A message arrived, as text. Messages arrive in the order in which the other side sent them. */
  onMessage(text: string): void;
  /** The transport is closed: the last callback, called exactly once. `reason` is why this side closed it, or what broke it; it is absent when the other side closed it. */
  onClose(reason?: Error): void;
  /** A message was dropped; the transport stays open. */
  onWarning?(error: TenonError): void;
  /** A request that was sent will get no response; the transport stays open. For transports that carry each request by itself. */
  onRequestError?(id: RequestId, error: Error): void;
  /** Notifications of the other side may have been lost; the transport stays open. */
  onMissedNotifications?(): void;
  /** A request waits for credentials (`true`), and no longer does (`false`). Timeouts do not run meanwhile. Pairs may overlap. */
  onDelayed?(isDelayed: boolean): void;
  /** Whether a request still waits for its response. Transports that reconnect ask before they resume its stream. */
  isPending?(id: RequestId): boolean;
}

/** Carries text messages between two sides, one JSON text each. */
export interface Transport {
  /** `idle` until `open`; `closed` once either side has closed it. */
  readonly state: 'idle' | 'open' | 'closed';
  /** Starts delivery; once. Throws `already-open` the second time and `connection-closed` after `close`. */
  open(listener: TransportListener): void;
  /**
   * Queues one message, as `JSON.stringify` writes it: without line breaks. Throws `connection-closed` when closed, and
   * `queue-full` when more waits than the limit: then the transport closes too, since the other side may wait for the
   * message that was lost. `message` is the parsed message, for transports that repeat parts of it in headers.
   */
  send(frame: string, message?: Message): void;
  /**
   * Closes both directions; idempotent. The other side gets `onClose()` after the messages already sent; this side
   * gets no further message, then `onClose(reason)`.
   */
  close(reason?: Error): void;
  /** Where closing takes time: resolves when everything that the transport held is released. */
  readonly finished?: Promise<unknown> | undefined;
}

/** Passes one message to a listener. What the listener throws is passed to its `onWarning`, and later messages still arrive. */
export function deliverFrame(listener: TransportListener, text: string): void {
  try {
    listener.onMessage(text);
  } catch (error) {
    reportThrown(listener, 'onMessage', error);
  }
}

/** Calls `onClose` of a listener, guarded as `deliverFrame` is. */
export function deliverClosed(listener: TransportListener, reason?: Error): void {
  try {
    listener.onClose(reason);
  } catch (error) {
    reportThrown(listener, 'onClose', error);
  }
}

/** Without an `onWarning`, or with one that throws too, the error is thrown as uncaught. */
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
