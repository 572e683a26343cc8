/** The options of `auditFolder` and `verifyAudit`, and the limits that are fixed. */
import type { AuditAnchor } from '../../../guard/audit/anchoring.ts';
import { type AuditCheckpoint, isPrivateKey, isPublicKey } from '../../../guard/audit/checkpoint.ts';
import type { TenonError } from '../../../lib/errors/tenon-error.ts';
import { isFunction, type Rule } from '../../../lib/options/option-rules.ts';
import { isRecord } from '../../../lib/values/is.ts';

/**
 * Limits of `auditFolder`.
 * @area audit
 */
export interface AuditFolderLimits {
  /**
   * Bytes of a segment.
   * @default 64 Mi
   * @beyond the next segment begins
   */
  readonly maxSegmentBytes?: number;
  /**
   * Segments that are retained.
   * @default computed all
   * @beyond older ones are deleted once an anchored checkpoint covers them
   */
  readonly maxSegments?: number;
}

/**
 * Records that wait to be written.
 * @limit AuditFolderLimits.maxQueuedRecords
 * @beyond new ones are refused, ends of calls excepted; those of a caller that has as many as it leaves free, too
 * @code audit-unavailable
 */
export const maxQueuedRecords = 10_000;

/**
 * Characters of records that wait to be written.
 * @limit AuditFolderLimits.maxQueuedChars
 * @beyond new ones are refused, ends of calls excepted; those of a caller that has as many as it leaves free, too
 * @code audit-unavailable
 */
export const maxQueuedChars = 64 * 1024 * 1024;

/**
 * Characters of `who`, `what` and `decision` of a record.
 * @limit AuditFolderLimits.maxRecordChars
 * @beyond what is beyond it is stored as a private value
 */
export const maxRecordChars = 16 * 1024;

/**
 * Characters of a private value.
 * @limit AuditFolderLimits.maxPrivateChars
 * @beyond its hash is stored, not the value
 */
export const maxPrivateChars = 256 * 1024;

/**
 * Records between two checkpoints.
 * @limit AuditFolderLimits.maxUnsignedRecords
 * @beyond a checkpoint is signed
 */
export const maxUnsignedRecords = 1000;

/**
 * Addresses whose refusals are counted apart.
 * @limit AuditFolderLimits.maxAddresses
 * @beyond the rest is counted together
 */
export const maxAddresses = 1000;

/**
 * Times of `auditFolder`.
 * @area audit
 */
export interface AuditFolderTimeouts {
  /**
   * The longest time from a record to the next checkpoint.
   * @default 10 s
   * @beyond a checkpoint is signed
   */
  readonly checkpointMs?: number;
}

/**
 * How long refusals without a principal are counted.
 * @limit AuditFolderTimeouts.refusalsMs
 * @beyond one record for each address
 */
export const refusalsMs = 10_000;

/**
 * How long a call of `anchor` may take.
 * @limit AuditFolderTimeouts.anchorMs
 * @beyond a warning; it is called again with the newest checkpoint
 * @code callback-failed
 */
export const anchorMs = 10_000;

/**
 * How long to wait for another process that has the folder.
 * @limit AuditFolderTimeouts.lockMs
 * @beyond the log does not open
 * @code audit-unavailable
 */
export const lockMs = 2000;

/**
 * The options of `auditFolder`.
 * @area audit
 */
export interface AuditFolderOptions {
  /**
   * The private key of `createAuditKey()`, which signs checkpoints. Without it there are no checkpoints.
   * @default off
   * @rule auditKey
   */
  readonly key?: JsonWebKey;
  /**
   * Gets each signed checkpoint. Store it where an attacker of this machine cannot change it: only it can prove that the end of the log is there.
   * @default off
   * @rule auditAnchor
   */
  readonly anchor?: AuditAnchor;
  /**
   * `os`: a record survives the end of the process. `sync`: it survives a power loss, too.
   * @default 'os'
   */
  readonly durability?: 'os' | 'sync';
  /**
   * When the queue is full because the disk is slow to sync: `wait` makes callers wait, and refuses new ones. `spill` writes
   * the queue at once, and its callers wait only as with the durability `os`.
   * @default 'wait'
   */
  readonly whenFull?: 'wait' | 'spill';
  /** Sizes and counts. */
  readonly limits?: AuditFolderLimits;
  /** Intervals and time limits. */
  readonly timeouts?: AuditFolderTimeouts;
  /**
   * Gets what fails in the background: a checkpoint, the anchor, deleting old segments.
   * @default off
   */
  readonly onWarning?: (warning: TenonError) => void;
}

export const auditKey: Rule = {
  holds: isPrivateKey,
  must: 'be the privateKey of createAuditKey(): an Ed25519 key as JWK',
};

export const auditAnchor: Rule = { holds: isFunction, must: 'be a function' };

/**
 * The options of `verifyAudit`.
 * @area audit
 * @of `verifyAudit`
 */
export interface VerifyAuditOptions {
  /**
   * The public key of the log, or all that it had. Without it no signature is checked.
   * @default off
   * @rule auditPublicKeys
   */
  readonly publicKey?: JsonWebKey | readonly JsonWebKey[];
  /**
   * Checkpoints that were handed to the anchor; the last one is enough. Without it a log that was cut at its end looks whole.
   * @default off
   * @rule auditCheckpoints
   */
  readonly anchor?: AuditCheckpoint | readonly AuditCheckpoint[];
}

const isOneOrMore = (value: unknown, holds: (one: unknown) => boolean): boolean =>
  Array.isArray(value) ? value.length > 0 && value.every(holds) : holds(value);

export const auditPublicKeys: Rule = {
  holds: (value) => isOneOrMore(value, isPublicKey),
  must: 'be an Ed25519 key as JWK, or a list of them',
};

export const auditCheckpoints: Rule = {
  holds: (value) => isOneOrMore(value, (one) => isRecord(one) && Number.isSafeInteger(one.records)),
  must: 'be a checkpoint, or a list of them',
};
