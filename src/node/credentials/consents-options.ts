/** The options of consentsFolder(). */

/**
 * The options of `consentsFolder()`.
 * @area host
 * @of `consentsFolder`
 */
export interface ConsentsFolderOptions {
  /**
   * The folder of the files; it is created for this user alone.
   * @default computed `tenon/consents` beside `tenon/credentials`
   */
  readonly folder?: string;
  /**
   * Stored answers.
   * @default 10,000
   * @beyond no new one is stored; the user is asked
   * @code store-failed
   */
  readonly maxEntries?: number;
}
