/** The options of `openStore`. */
import type { EncryptionOptions } from '../driver/encryption-options.ts';

/**
 * Options of `openStore`.
 * @area store
 * @of `openStore`
 */
export interface OpenStoreOptions {
  /**
   * Called with what fails in the background, such as the loss of the connection, which is made again.
   * @default off
   */
  readonly onError?: (error: unknown) => void;
  /**
   * Encrypts private values. A store in memory ignores it: it is not at rest anywhere.
   * @default off, they are stored as they are
   * @rule encryptionRule
   */
  readonly encryption?: EncryptionOptions;
}
