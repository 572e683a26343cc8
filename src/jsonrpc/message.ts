/** JSON-RPC 2.0 messages: their types, and the classification of a parsed value. Knows no MCP. */
import type { ErrorObject } from './errors.ts';

/** The version that every JSON-RPC message names. */
export const JSONRPC_VERSION = '2.0';

/** A string or an integer. 0 and the empty string are ids like any other. */
export type RequestId = string | number;

/** A JSON-RPC request. */
export interface RequestMessage {
  jsonrpc: '2.0';
  /** Identifies the request; its response has the same. */
  id: RequestId;
  /** The method, such as `tools/call`. */
  method: string;
  /** The params of the method. */
  params?: unknown;
}

/** A JSON-RPC notification: a message without an answer. */
export interface NotificationMessage {
  jsonrpc: '2.0';
  /** The method, such as `notifications/progress`. */
  method: string;
  /** The params of the method. */
  params?: unknown;
}

/** A JSON-RPC response with a result. */
export interface ResultMessage {
  jsonrpc: '2.0';
  /** The id of the request. */
  id: RequestId;
  /** The result of the request. */
  result: unknown;
}

/** A JSON-RPC response with an error. */
export interface ErrorMessage {
  jsonrpc: '2.0';
  /** Absent or null where the request's id could not be read: then the error is about the connection. */
  id?: RequestId | null;
  /** Why the request failed. */
  error: ErrorObject;
}

/** A JSON-RPC message. */
export type Message = RequestMessage | NotificationMessage | ResultMessage | ErrorMessage;

/** `authorization` was removed from the message when it was read: see message-authorization.ts. */
export type Classified =
  | { readonly kind: 'request'; readonly message: RequestMessage; readonly authorization?: string }
  | { readonly kind: 'notification'; readonly message: NotificationMessage; readonly authorization?: string }
  | { readonly kind: 'result'; readonly message: ResultMessage }
  | { readonly kind: 'error'; readonly message: ErrorMessage }
  | { readonly kind: 'invalid'; readonly problem: string };

/**
 * Characters of a request ID and of a progress token: what is sent back repeats them.
 * @limit messages
 * @beyond rejected; a client sends no progress for such a token
 * @code invalid-message, invalid-params
 */
export const maxIdChars = 1000;

/** A number beyond the safe integers would lose digits in the response, so it is not a valid id. */
export const isRequestId = (id: unknown): id is RequestId =>
  typeof id === 'string' ? id.length <= maxIdChars : Number.isSafeInteger(id);

const idProblem = (id: unknown): string =>
  typeof id === 'string' ? `id has more than ${maxIdChars} characters` : 'id has to be a string or an integer';

const invalid = (problem: string): Classified => ({ kind: 'invalid', problem });

/** Classifies a parsed value as a message, or says why it is none. */
export function classify(value: unknown): Classified {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return invalid('a message is an object');
  const message = value as Record<string, unknown>;
  if (message.jsonrpc !== JSONRPC_VERSION) return invalid('jsonrpc has to be "2.0"');
  if (message.method !== undefined) return classifyCall(message);
  if (message.result !== undefined) return classifyResult(message);
  if (message.error !== undefined) return classifyError(message);
  return invalid('a message has a method, a result or an error');
}

function classifyCall(message: Record<string, unknown>): Classified {
  const { id, method, params } = message;
  if (typeof method !== 'string') return invalid('method has to be a string');
  if (message.result !== undefined || message.error !== undefined) {
    return invalid('a message with a method has no result and no error');
  }
  if (params !== undefined && (typeof params !== 'object' || params === null)) {
    return invalid('params has to be an object or a list');
  }
  if (id === undefined) return { kind: 'notification', message: message as unknown as NotificationMessage };
  if (!isRequestId(id)) return invalid(idProblem(id));
  return { kind: 'request', message: message as unknown as RequestMessage };
}

function classifyResult(message: Record<string, unknown>): Classified {
  if (message.error !== undefined) return invalid('an answer has a result or an error, not both');
  if (!isRequestId(message.id)) return invalid(idProblem(message.id));
  return { kind: 'result', message: message as unknown as ResultMessage };
}

function classifyError(message: Record<string, unknown>): Classified {
  const { id, error } = message;
  if (id !== undefined && id !== null && !isRequestId(id)) return invalid(idProblem(id));
  if (typeof error !== 'object' || error === null) return invalid('error has to be an object');
  const { code, message: text } = error as Record<string, unknown>;
  if (!Number.isInteger(code)) return invalid('error.code has to be an integer');
  if (typeof text !== 'string') return invalid('error.message has to be a string');
  return { kind: 'error', message: message as unknown as ErrorMessage };
}
