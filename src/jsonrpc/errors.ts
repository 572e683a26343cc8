/** The two error classes: one crosses the wire, one stays here. */

/** What every local failure is called, what it means, and whether trying again can help. */
export const localErrors = {
  'already-open': { meaning: 'A channel was opened a second time; it has one listener for life.', retry: false },
  'batch-too-long': { meaning: 'A batch holds more messages than the limit allows.', retry: false },
  cancelled: { meaning: 'The caller gave the call up.', retry: false },
  'capability-not-supported': { meaning: 'The peer did not declare what this call needs.', retry: false },
  'circuit-open': { meaning: 'A server failed so often in a row that calls no longer wait for it.', retry: true },
  'command-not-found': { meaning: 'The program of a server to be started was not found.', retry: false },
  'connection-closed': { meaning: 'The connection ended before the answer came.', retry: true },
  'connection-refused': { meaning: 'Nothing listens at the address of a server.', retry: true },
  denied: { meaning: 'The host did not let it happen: nobody allowed it.', retry: false },
  'doubled-key': { meaning: 'A JSON object names the same key twice, and strict mode is on.', retry: false },
  'endpoint-missing': { meaning: 'The address of a server exists, but its path serves nothing.', retry: false },
  forbidden: { meaning: 'The server knows who asks and does not let them (403).', retry: false },
  'frame-too-large': { meaning: 'A message is larger than the limit allows.', retry: false },
  'host-not-found': { meaning: 'The name in the address of a server has no address.', retry: true },
  'http-refused': { meaning: 'A server over HTTP refused a request by its status alone.', retry: false },
  'icon-refused': { meaning: 'An icon is unsafe to load, or is not what it is said to be.', retry: false },
  'invalid-argument': { meaning: 'This side was called with something that it cannot use.', retry: false },
  'invalid-definition': { meaning: 'A tool, resource, prompt, schema or option is defined wrongly.', retry: false },
  'invalid-message': { meaning: 'What arrived is not a valid message.', retry: false },
  'invalid-outgoing': { meaning: 'What was about to be sent breaks the protocol; nothing was sent.', retry: false },
  'invalid-result': { meaning: 'The peer answered with a result of the wrong shape.', retry: false },
  'invalid-utf8': { meaning: 'Bytes that arrived are not UTF-8.', retry: false },
  'list-too-long': { meaning: 'A server lists more than a host takes.', retry: false },
  'listener-failed': { meaning: 'Code of this side threw, or rejected, when it was told of something.', retry: false },
  'no-common-revision': { meaning: 'The two sides share no revision of the protocol.', retry: false },
  'not-json': { meaning: 'Text that arrived is not JSON.', retry: false },
  'not-listening': { meaning: 'A server could not listen at its address.', retry: false },
  'outcome-unknown': {
    meaning: 'A call was sent and its connection broke off: whether it was carried out is not known.',
    retry: false,
  },
  'proxy-refused': { meaning: 'A proxy did not let a request through.', retry: false },
  'queue-full': { meaning: 'More is waiting than the limit allows.', retry: true },
  redirected: { meaning: 'A server over HTTP points to another address, which is not followed.', retry: false },
  'replay-diverged': { meaning: 'A handler asked something else under a key that was answered before.', retry: false },
  'schema-refused': { meaning: 'A JSON Schema is unsafe or cannot be used.', retry: false },
  'server-exited': { meaning: 'The process of a server ended.', retry: true },
  'server-silent': { meaning: 'A server gave no sign for too long, and was given up.', retry: true },
  'server-unavailable': { meaning: 'A server over HTTP cannot serve now (429 or 5xx).', retry: true },
  'session-lost': { meaning: 'The server does not know the session any more.', retry: true },
  'skill-unverified': { meaning: 'A file of a skill is not what the entry of the skill says.', retry: false },
  'spawn-failed': { meaning: 'The process of a server could not be started.', retry: false },
  'state-refused': {
    meaning:
      'The server does not take back what it gave a call to remember: its time is over, or the tool has changed.',
    retry: false,
  },
  'state-too-large': { meaning: 'What a call has to remember between rounds is over the limit.', retry: false },
  'store-failed': { meaning: 'A store could not do what it was asked.', retry: true },
  suspended: { meaning: 'The run of a handler ended to ask; it begins again with the answers.', retry: false },
  timeout: { meaning: 'No answer came in the time allowed.', retry: true },
  'tls-failed': { meaning: 'No secure connection came about: a certificate or the TLS itself is wrong.', retry: false },
  'too-deep': { meaning: 'A value is nested deeper than the limit allows.', retry: false },
  'too-many-rounds': { meaning: 'A call was asked back more often than the limit allows.', retry: false },
  unanswered: { meaning: 'The client did not answer a question of the server.', retry: false },
  unauthorized: { meaning: 'The server wants to know who asks (401).', retry: false },
  'unexpected-content': { meaning: 'A server over HTTP answered with something else than messages.', retry: false },
  unreachable: { meaning: 'No way leads to the address of a server, or nobody answers there.', retry: true },
  'unsafe-key': { meaning: 'A JSON object has a key named `__proto__`.', retry: false },
} as const satisfies Record<string, { meaning: string; retry: boolean }>;

export type LocalErrorCode = keyof typeof localErrors;

export interface TenonErrorOptions {
  /** What to do about it, in one sentence. */
  hint?: string;
  details?: Readonly<Record<string, unknown>>;
  cause?: unknown;
}

/** A failure on this side. It never crosses the wire; match on `code`. */
export class TenonError extends Error {
  override readonly name = 'TenonError';
  readonly code: LocalErrorCode;
  readonly hint: string | undefined;
  readonly details: Readonly<Record<string, unknown>>;

  constructor(code: LocalErrorCode, message: string, options: TenonErrorOptions = {}) {
    super(
      options.hint === undefined ? message : `${message} ${options.hint}`,
      'cause' in options ? { cause: options.cause } : {},
    );
    this.code = code;
    this.hint = options.hint;
    this.details = options.details ?? {};
  }
}

/** The message of an error without its hint, for callers that add to it. */
export const unhinted = ({ message, hint }: TenonError): string =>
  hint === undefined ? message : message.slice(0, -hint.length - 1);

/** The error object of a JSON-RPC response. */
export interface ErrorObject {
  code: number;
  message: string;
  data?: unknown;
}

/** The numbers JSON-RPC itself defines. */
export const standardCodes = {
  'parse-error': -32700,
  'invalid-request': -32600,
  'method-not-found': -32601,
  'invalid-params': -32602,
  'internal-error': -32603,
} as const;

/** An error that crosses the wire: thrown by a handler on purpose, or made from a peer's answer. */
export class RpcError extends Error {
  override readonly name = 'RpcError';
  readonly code: number;
  readonly data: unknown;
  /** The number's name where the revision or the chosen table has one, else `unknown`. */
  readonly reason: string;
  /** Whether a peer answered with it. What one peer said is not passed on to another by accident. */
  readonly fromPeer: boolean;

  constructor(code: number, message: string, data?: unknown, reason = 'unknown', cause?: unknown, fromPeer = false) {
    super(message, cause === undefined ? {} : { cause });
    this.code = code;
    this.data = data;
    this.reason = reason;
    this.fromPeer = fromPeer;
  }

  /** What a peer answered. */
  static answered({ code, message, data }: ErrorObject, reason = 'unknown', cause?: unknown): RpcError {
    return new RpcError(code, message, data, reason, cause, true);
  }

  /** An error that was made on this side, to be sent. */
  static isOwn(thrown: unknown): thrown is RpcError {
    return thrown instanceof RpcError && !thrown.fromPeer;
  }

  /** What an unknown throw becomes: an own RpcError stays as it is, all else is an internal error with a fixed text. */
  static from(thrown: unknown): RpcError {
    if (RpcError.isOwn(thrown)) return thrown;
    return new RpcError(standardCodes['internal-error'], 'Internal error', undefined, 'internal-error', thrown);
  }

  toObject(): ErrorObject {
    const { code, message, data } = this;
    return data === undefined ? { code, message } : { code, message, data };
  }
}
