/** The options of createHost() on Node. */
import type { HostOptions as NeutralOptions } from '../host/options.ts';
import type { HostPolicy } from '../host/requests/policy.ts';
import type { ListStore } from '../host/stored-lists/list-store.ts';
import type { Lock } from '../ports/lock.ts';

/** A lock in a file: its path, and how it is used. */
export interface LockFileOptions {
  /** The path of the file, such as `mcp.lock`. */
  readonly path: string;
  /** `check` changes nothing, and refuses a server with any difference: for CI. Default `enforce`. */
  readonly mode?: 'enforce' | 'check';
  /** Whether resources are locked too, not only tools, prompts and templates. Default `true`. */
  readonly includeResources?: boolean;
}

/**
 * The options of `createHost` on Node.
 * @area host
 */
export interface HostOptions extends Omit<NeutralOptions, 'policy' | 'lock' | 'listStore'> {
  /**
   * Decides what the user and the servers may do, before any hook: what it denies is not listed and not sent, where it
   * asks the hooks of `consent` decide, and what it allows needs no consent. What no rule allows is denied. A path is that
   * of a policy file.
   * @default off
   * @rule hostPolicy
   */
  readonly policy?: string | HostPolicy | Promise<HostPolicy>;
  /**
   * Pins the definitions and instructions of every server: what was not approved is hidden, what changed is refused. A
   * path such as `mcp.lock`, a path with options, or a lock of yours.
   * @default off
   * @rule hostLock
   */
  readonly lock?: string | LockFileOptions | Lock | Promise<Lock>;
  /**
   * Where `lists: 'stored'` stores lists without a lock.
   * @default computed files in the cache folder of the user, as `listsFolder()` makes them
   * @rule listStore
   */
  readonly listStore?: ListStore;
  /**
   * Called with every line that a server writes to its standard error. Errors contain the last lines anyway.
   * @default off
   */
  readonly onStderr?: (server: string, line: string) => void;
}
