/** The options of taskFile(), and the limit of it that no option sets. */

/**
 * The options of `taskFile`: none, its limit is fixed.
 * @area client
 * @of `taskFile`
 */
// biome-ignore lint/suspicious/noEmptyInterface: a fixed limit names the interface whose option it would be.
export interface TaskFileOptions {}

/**
 * Remembered tasks in a file.
 * @limit TaskFileOptions.maxEntries
 * @beyond no further one is stored; the call fails
 * @code store-failed
 */
export const maxRemembered = 1000;
