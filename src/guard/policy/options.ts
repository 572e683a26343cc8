/** The options of `createPolicy`. */

/**
 * Options of `createPolicy`.
 * @area guard
 * @of `createPolicy`
 */
export interface PolicyOptions {
  /**
   * The name of the document in errors.
   * @default 'policy'
   */
  readonly fileName?: string;
}

/**
 * Decisions that `explain` knows: the newest, of all versions of a file.
 * @limit PolicyOptions.maxDecisions
 * @beyond the oldest is forgotten
 */
export const maxDecisions = 10_000;
