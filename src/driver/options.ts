/** The options that all stores outside this process have in common, and their fixed limits. */
import type { EncryptionOptions } from './encryption-options.ts';

/**
 * Options of every store outside this process.
 * @area store
 * @noTable
 */
export interface StoreOptions {
  /**
   * Encrypts private values.
   * @default off, they are stored as they are
   * @rule encryptionRule
   */
  readonly encryption?: EncryptionOptions;
  /** How credentials are stored. */
  readonly credentials?: StoredCredentialsOptions;
  /** How answers of users are stored. */
  readonly consents?: StoredConsentsOptions;
  /**
   * Called with what fails in the background, such as the loss of a connection, which is made again.
   * @default off
   */
  readonly onError?: (error: unknown) => void;
  /**
   * The clock by which records expire, in milliseconds since the Unix epoch.
   * @default computed the time of the store, which all processes share
   */
  readonly now?: () => number;
}

/**
 * How credentials are stored.
 * @area store
 */
export interface StoredCredentialsOptions {
  /**
   * Stored credentials.
   * @default 10,000
   * @beyond no new one is stored
   * @code store-failed
   */
  readonly maxEntries?: number;
}

/**
 * How answers of users are stored.
 * @area store
 */
export interface StoredConsentsOptions {
  /**
   * Stored answers of users that have not expired.
   * @default 10,000
   * @beyond no new one is stored; the user is asked
   * @code store-failed
   */
  readonly maxEntries?: number;
}

/**
 * How long a caller waits for the lock of a credential.
 * @limit StoredCredentialsOptions.lockTimeoutMs
 * @beyond the call fails
 * @code timeout
 */
export const lockTimeoutMs = 300_000;

/**
 * How long the lock of a process that died, or lost the store, stays taken.
 * @limit StoredCredentialsOptions.lockLeaseMs
 * @beyond another process takes it
 */
export const lockLeaseMs = 30_000;

/**
 * Leases of slots of a guard.
 * @limit store
 * @beyond further ones are refused
 * @code rate-limited
 */
export const maxSlots = 100_000;

/**
 * Rows of an authorization server, of each kind: refresh tokens, grants, accounts.
 * @limit store
 * @beyond no new one is stored
 * @code store-failed
 */
export const maxAuthorizations = 10_000_000;
