/** The options of fromOfficial(). */
import type { ServerOptions } from '../server/options.ts';
import type { DroppedMessage } from './types.ts';

/**
 * How the instances of a server of the official SDK are used.
 * @area official
 */
export interface InstanceOptions {
  /**
   * One instance serves all clients. By default a function creates one for each session.
   * @default false
   */
  readonly shared?: boolean;
  /**
   * Instances at once. A session has one from its first list or call. In protocol versions without sessions there is one for
   * each principal and client, and one for each call without a principal. No caller uses more of them than it leaves to
   * others; those without a principal have at most half of them together.
   * @default 1000
   * @beyond the instance that was not used for the longest time is closed; if each has a session or a call, the call is refused
   * @code overloaded
   */
  readonly maxInstances?: number;
  /**
   * How long an instance without a session may be idle.
   * @default 5 min
   * @beyond it is closed
   */
  readonly idleMs?: number;
  /**
   * Called with what does not cross the bridge: messages that belong to no call, and features that cannot be served.
   * @default off
   */
  readonly onDropped?: (dropped: DroppedMessage) => void;
}

/** The options of `fromOfficial()`: those of `createServer()`, and those of the instances. */
export interface OfficialOptions extends ServerOptions, InstanceOptions {}
