/** How a client reconnects: its options, and the limits that no option sets. */

/**
 * How a client reconnects.
 * @area client
 */
export interface ReconnectOptions {
  /**
   * The first delay before reconnecting is a random part of this.
   * @default 500 ms
   * @most none
   * @beyond it doubles with each failure
   */
  readonly initialDelayMs?: number;
  /**
   * The longest delay before reconnecting.
   * @default 30 s
   * @most none
   */
  readonly maxDelayMs?: number;
  /**
   * Failed attempts to connect in a row.
   * @default 5
   * @beyond calls fail at once instead of waiting; attempts continue
   * @code circuit-open
   */
  readonly maxConsecutiveFailures?: number;
  /**
   * Whether to believe the server's tool annotations. Calls of tools marked `readOnlyHint` or `idempotentHint` are then
   * sent again when a connection breaks.
   * @default false
   */
  readonly trustToolAnnotations?: boolean;
}

/**
 * Attempts to connect within any minute.
 * @limit ReconnectOptions.maxAttemptsPerMinute
 * @beyond the next attempt waits
 */
export const maxAttemptsPerMinute = 30;

/**
 * How long a connection must stay open before failures are counted from zero again.
 * @limit ReconnectOptions.resetAfterMs
 */
export const resetAfterMs = 10_000;
