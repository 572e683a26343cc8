/** `RpcError`: an error that crosses the wire; and any error as `onWarning` gets it. */
import type { ConnectStep } from '../lib/errors/connect-steps.ts';
import { TenonError } from '../lib/errors/tenon-error.ts';
import { escapeControls } from '../lib/text/control-characters.ts';

/** The error object of a JSON-RPC response. */
export interface ErrorObject {
  /** The number of the error, such as -32602. */
  code: number;
  /** What failed, in one sentence. */
  message: string;
  /** More about the error, if the sender added it. */
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
  /** Always `RpcError`. */
  override readonly name = 'RpcError';
  /** The number of the error, such as -32602. */
  readonly code: number;
  /** More about the error, if the sender added it. */
  readonly data: unknown;
  /** The number's name where the revision or the chosen table has one, else `unknown`. */
  readonly reason: string;
  /** Whether a peer sent it. Errors of one peer are not passed on to another by accident. */
  readonly fromPeer: boolean;
  /** The method that a peer answered with this error, where it is known. */
  declare readonly method?: string;
  /** The step of connecting that failed. Only errors of connecting have it. */
  declare readonly step?: ConnectStep;

  constructor(code: number, message: string, data?: unknown, reason = 'unknown', cause?: unknown, fromPeer = false) {
    super(message, cause === undefined ? {} : { cause });
    this.code = code;
    this.data = data;
    this.reason = reason;
    this.fromPeer = fromPeer;
  }

  /** The error that a peer answered with. Control characters in its message are escaped. */
  static answered({ code, message, data }: ErrorObject, reason = 'unknown', cause?: unknown): RpcError {
    return new RpcError(code, escapeControls(message), data, reason, cause, true);
  }

  /** An error that was made on this side, to be sent. */
  static isOwn(thrown: unknown): thrown is RpcError {
    return thrown instanceof RpcError && !thrown.fromPeer;
  }

  /**
   * Converts any thrown value. An RpcError of this side stays unchanged; everything else becomes an internal error with
   * a fixed text.
   */
  static from(thrown: unknown): RpcError {
    if (RpcError.isOwn(thrown)) return thrown;
    return new RpcError(standardCodes['internal-error'], 'Internal error', undefined, 'internal-error', thrown);
  }

  /** The error as JSON-RPC sends it. */
  toObject(): ErrorObject {
    const { code, message, data } = this;
    return data === undefined ? { code, message } : { code, message, data };
  }
}

/** Wraps an error without a code, since errors passed to `onWarning` always have one. */
export function toWarning(error: unknown): TenonError {
  if (error instanceof TenonError) return error;
  const text = error instanceof Error ? error.message : String(error);
  return error instanceof RpcError
    ? new TenonError(
        'request-failed',
        `The peer answered${error.method === undefined ? '' : ` ${error.method}`} with an error: ${text}`,
        { cause: error },
      )
    : new TenonError('callback-failed', `A handler or callback threw: ${text}`, { cause: error });
}
