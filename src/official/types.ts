/** Servers and transports of the official MCP SDK, by their methods alone: versions 1 and 2 fit, and neither is imported. */

/** An `McpServer` or a `Server` of the official SDK, version 1 or 2. */
export interface OfficialServer {
  /** Serves a transport. */
  connect(transport: OfficialTransport): Promise<void>;
  /** Closes its connection. */
  close(): Promise<void>;
}

/** A transport of the official SDK, version 1 or 2. Messages are JSON-RPC messages as objects. */
export interface OfficialTransport {
  /** Starts delivery. */
  start(): Promise<void>;
  /** Sends one message. */
  send(
    message: never,
    options?: {
      /** The request that the message belongs to. */
      readonly relatedRequestId?: string | number | undefined;
    },
  ): Promise<void>;
  /** Closes both directions. */
  close(): Promise<void>;
  /** Called when the transport has closed. */
  onclose?: (() => void) | undefined;
  /** Called with errors of the transport. */
  onerror?: ((error: Error) => void) | undefined;
  /** Called with every message. */
  // oxlint-disable-next-line typescript/no-explicit-any -- the SDKs declare it with type parameters of their own.
  onmessage?: ((message: any, extra?: any) => void) | undefined;
  /** The ID of the session. */
  sessionId?: string | undefined;
  /** Sets the protocol version that was agreed on. */
  setProtocolVersion?: ((version: string) => void) | undefined;
}

/** A server of the official SDK, or a function that creates one for each session. */
export type OfficialSource = OfficialServer | (() => OfficialServer | Promise<OfficialServer>);

/** What does not cross the bridge. */
export interface DroppedMessage {
  /** The method of the message or list. */
  readonly method: string;
  /** Why it was dropped. */
  readonly reason: string;
}

/** A call at one instance. */
export interface CallPlace {
  readonly instance: object;
  readonly id: number;
}

/** Knows the call whose handler runs now. */
export interface CallScope {
  /** Runs a function, and everything that it starts, in the scope of a call. */
  run(place: CallPlace, run: () => void): void;
  /** The call of the running code. */
  current(): CallPlace | undefined;
}
