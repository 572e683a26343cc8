/** The limits of a gateway and of its upstreams. */

/**
 * Limits of a gateway.
 * @area gateway
 */
export interface GatewayLimits {
  /**
   * Connections to all upstreams at once.
   * @default 2000
   * @beyond the connection that has been idle for the longest time is closed; if none is idle, the call is rejected
   * @code overloaded
   */
  readonly maxConnections?: number;
  /**
   * How long a list waits for its upstreams, where there are several.
   * @default 2 s
   * @beyond the list is sent without them, and `_meta['tenon/unavailable']` names them
   */
  readonly listMs?: number;
}

/**
 * How callers of a gateway find tools.
 * @area gateway
 * @of `search`
 */
export interface SearchOptions {
  /**
   * Tools that callers list besides `find_tools` and `call_tool`, by the names of the gateway; `*` stands for any text.
   * @default computed none
   */
  readonly pinned?: readonly string[];
}

/**
 * Limits of the connections to one upstream.
 * @area gateway
 * @of an upstream
 */
export interface UpstreamLimits {
  /**
   * Connections to the upstream at once. No caller uses more of them than it leaves to others. With processes that have
   * not ended yet there are at most twice as many.
   * @default computed 100; 1,000 for a URL
   * @beyond the connection that has been idle for the longest time is closed; if none is idle, the call is rejected
   * @code overloaded
   */
  readonly maxConnections?: number;
  /**
   * Connections of one owner at once. Calls of one caller at a time use one over which the upstream could ask several.
   * @default computed 4; 1 for a URL
   * @beyond the call waits
   */
  readonly maxConnectionsPerOwner?: number;
  /**
   * Calls that wait for a connection. No caller has more of them than it leaves to others.
   * @default 1000
   * @beyond the call is rejected
   * @code overloaded
   */
  readonly maxWaiting?: number;
  /**
   * How long a call waits for a connection.
   * @default 5 s
   * @beyond the call is rejected
   * @code overloaded
   */
  readonly queueMs?: number;
  /**
   * How long it may take to open a connection, and to read the lists over it.
   * @default 30 s
   * @beyond the call is rejected
   * @code connection-error
   */
  readonly openMs?: number;
  /**
   * How long a call waits without a message of the upstream. Progress begins the time again, up to ten times as long.
   * @default 10 min
   * @beyond the call is cancelled
   * @code timeout
   */
  readonly callMs?: number;
  /**
   * How long a connection may be idle. One with subscriptions to resources is not.
   * @default 5 min
   * @beyond it is closed
   */
  readonly idleMs?: number;
  /**
   * How long the calls of an upstream that a reload has changed or removed may run.
   * @default 15 min
   * @beyond they fail
   */
  readonly drainMs?: number;
}

/**
 * Attempts of one owner to connect to an upstream that fail within 30 seconds; for all owners together those of as many
 * owners.
 * @limit gateway
 * @beyond their calls are rejected for 5 seconds, and for twice as long after each failed attempt that follows, up to a minute
 * @code overloaded
 */
export const maxFailures = 5;

/**
 * Owners whose lists are remembered, besides those that follow them.
 * @limit gateway
 * @beyond the lists of the one that was not used for the longest time are read again
 */
export const maxListOwners = 10_000;

/**
 * How long lists are used that the upstream does not report as changed.
 * @limit gateway
 * @beyond they are read again
 */
export const listsTtlMs = 5 * 60_000;

/**
 * How long lists that were just read are not read again for those that follow them, however often the upstream reports a
 * change.
 * @limit gateway
 */
export const minRereadMs = 1000;
