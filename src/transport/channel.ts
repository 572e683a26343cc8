/** The channel: a duplex of text frames, one frame one JSON text, whatever carries it. */

import { TenonError } from '../jsonrpc/errors.ts';
import type { Message, RequestId } from '../jsonrpc/message.ts';

/** What the owner of a channel hears. It is never called from inside `open`, `send` or `close`. */
export interface TransportListener {
  /** One whole frame, in the order the other side sent it. */
  onMessage(text: string): void;
  /** The last call, exactly once. `reason` is why this side ended, or what broke the channel; it is absent when the other side left. */
  onClose(reason?: Error): void;
  /** Something went wrong with one frame and the channel goes on. */
  onWarning?(error: TenonError): void;
  /** A request that was sent will have no answer, and why; the channel goes on. For channels that carry each request by itself. */
  onRequestError?(id: RequestId, error: Error): void;
  /** What the other side has said unasked may not have come, and the channel goes on. */
  missed?(): void;
  /** Whether anybody waits for the answer to a request. Channels that cannot know otherwise ask before they look for it again. */
  waits?(id: RequestId): boolean;
}

/** Carries text messages between two sides, one JSON text each. */
export interface Transport {
  /** `idle` until `open`; `closed` as soon as this side has closed or heard that the other did. */
  readonly state: 'idle' | 'open' | 'closed';
  /** Starts delivery; once. Throws `already-open` the second time and `connection-closed` after `close`. */
  open(listener: TransportListener): void;
  /** Queues one frame, without raw line breaks as `JSON.stringify` writes it. Throws `connection-closed` when closed, and `queue-full` when more waits than the limit: then the channel ends too, since what found no room may be what somebody waits for. `message` is what the frame says, for channels that repeat parts of it. */
  send(frame: string, message?: Message): void;
  /**
   * Ends both ways; idempotent. The other side's listener hears `closed()` after the frames already sent;
   * this side's hears no further frame, then `closed(reason)`.
   */
  close(reason?: Error): void;
  /** Where closing takes time: settles when nothing of what the channel held is left. */
  readonly finished?: Promise<unknown> | undefined;
}

/** Hands one frame to a listener; a listener that throws hears of it in `fault` and loses no later frame. */
export function deliverFrame(listener: TransportListener, text: string): void {
  try {
    listener.onMessage(text);
  } catch (error) {
    reportThrown(listener, 'frame', error);
  }
}

/** Tells a listener of the end, guarded as `deliverFrame` is. */
export function deliverClosed(listener: TransportListener, reason?: Error): void {
  try {
    listener.onClose(reason);
  } catch (error) {
    reportThrown(listener, 'closed', error);
  }
}

/** With no `fault` to tell, or one that throws too, the error surfaces as uncaught: never silently. */
function reportThrown(listener: TransportListener, heard: 'frame' | 'closed', cause: unknown): void {
  if (listener.onWarning === undefined) return throwLater(cause);
  const hint = 'Catch inside the listener what can fail there.';
  try {
    listener.onWarning(
      new TenonError('callback-failed', `The channel's listener threw in ${heard}().`, { hint, cause }),
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
