/** Types of the specification other than its records: JSON-RPC messages in general, and fields that several records share. */
import type { ClientCapabilities, Implementation, RequestMeta } from './generated/types/records.ts';

export type {
  ErrorMessage as JSONRPCError,
  Message as JSONRPCMessage,
  NotificationMessage as JSONRPCNotification,
  RequestMessage as JSONRPCRequest,
  ResultMessage as JSONRPCResponse,
} from '../jsonrpc/message.ts';
export { JSONRPC_VERSION } from '../jsonrpc/message.ts';
export { LATEST_PROTOCOL_VERSION } from './revisions/revisions.ts';

/** A request without what JSON-RPC adds to it. */
export interface Request {
  /** The name of the method. */
  method: string;
  /** The params of the method, with its metadata. */
  params?: {
    /** Metadata. */
    _meta?: RequestMeta;
    [key: string]: unknown;
  };
}

/** A notification without what JSON-RPC adds to it. */
export interface Notification {
  /** The name of the notification. */
  method: string;
  /** Its params, with its metadata. */
  params?: {
    /** Metadata. */
    _meta?: { [key: string]: unknown };
    [key: string]: unknown;
  };
}

/** The names of a tool, prompt, resource, template or implementation. */
export interface BaseMetadata {
  /** The name for programs. */
  name: string;
  /** The name for users; `name` if it is absent. */
  title?: string;
}

/** The first request of a client, in protocol versions with sessions. */
export interface InitializeRequest extends Request {
  method: 'initialize';
  /** What the client declares. */
  params: {
    /** The newest protocol version that the client accepts. */
    protocolVersion: string;
    /** The capabilities of the client. */
    capabilities: ClientCapabilities;
    /** The name and version of the client. */
    clientInfo: Implementation;
    /** Metadata. */
    _meta?: RequestMeta;
    [key: string]: unknown;
  };
}

/** A position in a list that has several pages. Its text means something to the server only. */
export type Cursor = string;
