/** Transports: the interface a transport of your own implements, and a pair of transports in memory. */

export type {
  ErrorMessage as JSONRPCError,
  Message as JSONRPCMessage,
  NotificationMessage as JSONRPCNotification,
  RequestId,
  RequestMessage as JSONRPCRequest,
  ResultMessage as JSONRPCResponse,
} from '../jsonrpc/message.ts';
export type { ConnectStep } from '../lib/errors/connect-steps.ts';
export { TenonError, type TenonErrorCode, type TenonErrorOptions } from '../lib/errors/tenon-error.ts';
export { createMemoryTransports } from './memory.ts';
export type { MemoryTransportOptions } from './memory-options.ts';
export type { Tap, TapEvent, TapHttp, TapOccurrence, TapSide, TapTransport } from './tap.ts';
export type { Transport, TransportListener } from './transport.ts';
