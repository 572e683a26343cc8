/** What handlers of tools of the official SDK get and return, in both of its versions. */

/** A content block, as handlers of the SDK write it. */
export interface SdkContent {
  /** The kind of the block. */
  readonly type: string;
  readonly [key: string]: unknown;
}

/** What handlers of the SDK return. */
export interface SdkResult {
  /** The content of the result. */
  readonly content?: readonly SdkContent[] | undefined;
  /** The structured result. */
  readonly structuredContent?: Readonly<Record<string, unknown>> | undefined;
  /** Whether the tool failed. */
  readonly isError?: boolean | undefined;
  /** Extra fields for clients. */
  readonly _meta?: Readonly<Record<string, unknown>> | undefined;
}

/** A message that a handler sends. */
export interface SdkMessage {
  /** The method of the message. */
  readonly method: string;
  /** Its parameters. */
  readonly params?: Readonly<Record<string, unknown>> | undefined;
}

/** Options of a request of a handler. */
export interface SdkRequestOptions {
  /** Aborted when the handler no longer waits. */
  readonly signal?: AbortSignal | undefined;
}

/** Parses the result of a request; a schema of zod is one. */
export interface SdkResultSchema<T> {
  /** Returns the result, or throws. */
  parse(result: unknown): T;
}

/** What the user did with an elicitation. */
export interface SdkElicitResult {
  /** `accept`, `decline` or `cancel`. */
  readonly action: string;
  /** What the user entered. */
  readonly content?: Readonly<Record<string, unknown>> | undefined;
}

/** The second argument of handlers: `extra` of SDK v1; `mcpReq` is that of v2. */
export interface SdkExtra {
  /** Aborted when the call is cancelled. */
  readonly signal: AbortSignal;
  /** The ID of the call. */
  readonly requestId: string;
  /** The `_meta` of the request. */
  readonly _meta?: Readonly<Record<string, unknown>>;
  /** The caller, if there is a principal. It has no token. */
  readonly authInfo?: Readonly<Record<string, unknown>>;
  /** The HTTP request of the call, if there is one. */
  readonly requestInfo?: {
    /** Its headers without credentials, by their names in lower case. */
    readonly headers: Readonly<Record<string, string>>;
  };
  /** The same, as SDK v2 has it. */
  readonly http?: {
    /** The caller. */
    readonly authInfo?: Readonly<Record<string, unknown>>;
    /** The HTTP request of the call. */
    readonly req?: {
      /** Its headers without credentials. */
      readonly headers: Headers;
    };
  };
  /** Asks the client for input: elicitation, sampling, roots. `schema` parses the result. */
  sendRequest<T = Readonly<Record<string, unknown>>>(
    request: SdkMessage,
    schema?: SdkResultSchema<T>,
    options?: SdkRequestOptions,
  ): Promise<T>;
  /** Sends progress or a log message. */
  sendNotification(notification: SdkMessage): Promise<void>;
  /** The same, as SDK v2 has it. */
  readonly mcpReq: {
    /** The ID of the call. */
    readonly id: string;
    /** The method of the call. */
    readonly method: string;
    /** The `_meta` of the request. */
    readonly _meta?: Readonly<Record<string, unknown>>;
    /** Aborted when the call is cancelled. */
    readonly signal: AbortSignal;
    /** Asks the client for input. */
    send(request: SdkMessage, options?: SdkRequestOptions): Promise<Readonly<Record<string, unknown>>>;
    /** Sends progress or a log message. */
    notify(notification: SdkMessage): Promise<void>;
    /** Sends a log message. */
    log(level: string, data: unknown, logger?: string): Promise<void>;
    /** Asks the user to fill in a form, or to open a URL. */
    elicitInput(params: Readonly<Record<string, unknown>>, options?: SdkRequestOptions): Promise<SdkElicitResult>;
    /** Asks the client's model for a message. */
    requestSampling(
      params: Readonly<Record<string, unknown>>,
      options?: SdkRequestOptions,
    ): Promise<Readonly<Record<string, unknown>>>;
  };
}

/** A handler of the SDK, called with the arguments and `extra`. */
export type SdkToolHandler<Args, Extra> = (args: Args, extra: Extra) => SdkResult | Promise<SdkResult>;
