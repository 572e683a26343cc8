/** The options of `createPathRoot`, and the limits of it that no option sets. */

/**
 * The options of `createPathRoot`.
 * @area input safety
 */
export interface PathRootOptions {
  /**
   * Whether names that begin with a dot can be opened and are listed.
   * @default false
   */
  readonly hidden?: boolean;
  /**
   * Bytes of a file that `read` returns.
   * @default 10 Mi
   * @beyond `read` throws
   * @code file-too-large
   */
  readonly maxFileBytes?: number;
}

/**
 * Characters of a path.
 * @limit PathRootOptions.maxPathChars
 * @beyond the path is rejected
 * @code path-not-allowed
 */
export const maxPathChars = 1024;

/**
 * Files that `list` returns.
 * @limit PathRootOptions.maxListed
 * @beyond the rest is left out
 */
export const maxListed = 1000;
