/** The interface of a store of credentials: read, compare-and-swap, and a lock that holds between processes. */

/** A stored value, and the version that `swap` compares. */
export interface StoredCredential {
  /** What was stored: plain JSON. */
  readonly value: unknown;
  /** Changes with every swap. */
  readonly version: string;
}

/** Where a client keeps its tokens and registrations. Keys are texts of the client, such as issuer and resource. */
export interface CredentialStore {
  /** The value of a key, if there is one. */
  read(key: string): Promise<StoredCredential | undefined>;
  /**
   * Stores a value, or deletes it where it is `undefined`, if the key still has this version (`undefined`: no value).
   * Resolves to whether it did.
   */
  swap(key: string, version: string | undefined, value: unknown): Promise<boolean>;
  /** Waits until this caller alone, of all processes, holds the lock of the key. Call the result to release it. */
  lock(key: string, signal?: AbortSignal): Promise<() => Promise<void>>;
}
