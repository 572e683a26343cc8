/** The interface of the storage of a chain. */

/** Stores the lines of a chain in segments. */
export interface AuditStorage {
  /**
   * Stores the private values, then the records. Throws `audit-unavailable` if it stored nothing of the records. Both
   * texts are ASCII.
   */
  append(text: string, privateText: string): void;
  /** Resolves when all that was appended survives a power loss. `undefined` if that is not wanted. */
  readonly sync: (() => Promise<void>) | undefined;
  /** Whether the current segment has no records. */
  readonly isEmpty: boolean;
  /** Whether the current segment has reached its size. */
  readonly isFull: boolean;
  /** Begins a segment with this record. */
  startSegment(firstRecord: number): void;
  /** The number of the first record of each segment, in order. */
  readonly segments: readonly number[];
  /** Deletes the segments whose first record is before this one. */
  dropBefore(firstRecord: number): void;
}
