/** The options of listsFolder(). */

/**
 * The options of `listsFolder()`.
 * @area host
 * @of `listsFolder`
 */
export interface ListsFolderOptions {
  /**
   * The folder of the files; it is created for this user alone.
   * @default computed `tenon/lists` in the cache folder of the user
   */
  readonly folder?: string;
  /**
   * Servers whose lists are stored.
   * @default 200
   * @beyond the lists that were stored first are deleted
   */
  readonly maxEntries?: number;
}
