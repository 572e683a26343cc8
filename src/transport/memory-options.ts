/** The options of transports in memory. */

/**
 * The options of `createMemoryTransports`.
 * @area messages
 * @of `createMemoryTransports`
 */
export interface MemoryTransportOptions {
  /**
   * Messages that may wait in one direction.
   * @default 65,536
   * @beyond the transport closes
   * @code queue-full
   */
  readonly maxMessages?: number;
  /**
   * Characters that may wait in one direction.
   * @default 64 Mi
   * @beyond the transport closes
   * @code queue-full
   */
  readonly maxChars?: number;
}
