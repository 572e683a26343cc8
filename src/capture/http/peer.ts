/** The server behind an HTTP endpoint that knows no MCP: it receives messages, and sends its own to a request or a session. */
import type { Fields } from '../../lib/values/is.ts';

/** Sends the messages that belong to one request. */
export interface RequestOutput {
  /** Sends the response, or a message that belongs to the request. */
  send(message: Fields): void;
  /** Sends a message that belongs to no request. */
  notify(message: Fields): void;
  /** The request has its response. */
  end(): void;
  /** Sends a part of a message, and closes the connection. */
  break(text: string): void;
}

/** One for each session, and one for all requests that stand alone. */
export interface HttpPeer {
  /** A message of a client: a request, a notification, or a response. */
  receive(message: Fields, output: RequestOutput): void;
  /** The client of a request that stands alone has disconnected: that cancels the request. */
  abandoned?(output: RequestOutput): void;
  /** The session has ended. */
  close(): void;
}
