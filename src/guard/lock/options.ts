/** The options of a lock. */

/**
 * The options of a lock.
 * @area host
 * @of `createLock` and `lockFile`
 */
export interface LockOptions {
  /**
   * `check` changes nothing, and refuses a server with any difference: for CI.
   * @default 'enforce'
   */
  readonly mode?: 'enforce' | 'check';
  /**
   * Whether resources are locked too, not only tools, prompts and templates.
   * @default true
   */
  readonly includeResources?: boolean;
}
