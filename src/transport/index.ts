/** Transports: the interface a transport of your own implements, and a pair of transports in memory. */

export { TenonError, type TenonErrorCode, type TenonErrorOptions } from '../jsonrpc/errors.ts';
export type {
  ErrorMessage,
  Message,
  NotificationMessage,
  RequestId,
  RequestMessage,
  ResultMessage,
} from '../jsonrpc/message.ts';
export { createMemoryTransports, type MemoryTransportOptions } from './memory.ts';
export type { Transport, TransportListener } from './transport.ts';
