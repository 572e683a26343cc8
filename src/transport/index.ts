/** Transports: the interface a transport of your own implements, and a pair of transports in memory. */

export { TenonError } from '../lib/errors/tenon-error.ts';
export { createMemoryTransports, type MemoryTransportOptions } from './memory.ts';
export type { Tap, TapEvent, TapHttp, TapOccurrence, TapSide, TapTransport } from './tap.ts';
export type { Transport, TransportListener } from './transport.ts';
