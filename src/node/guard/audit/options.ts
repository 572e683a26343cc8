/** The options of `auditFolder`, their rules and defaults. */
import type { AuditAnchor } from '../../../guard/audit/anchoring.ts';
import type { ChainLimits, ChainTimeouts } from '../../../guard/audit/chain.ts';
import { isPrivateKey } from '../../../guard/audit/checkpoint.ts';
import type { TenonError } from '../../../lib/errors/tenon-error.ts';
import {
  callback,
  checkOptions,
  count,
  duration,
  group,
  type Rule,
  type Rules,
} from '../../../lib/options/option-rules.ts';
import { runSafely } from '../../../lib/values/run-safely.ts';

/** Limits of `auditFolder`. */
export interface AuditFolderLimits {
  /** Bytes of a segment; then the next begins. Default 64 MiB. */
  readonly maxSegmentBytes?: number;
  /** Segments that are retained. Older ones are deleted once an anchored checkpoint covers them. By default all are. */
  readonly maxSegments?: number;
  /** Records that wait to be written; beyond it, new ones are refused (`audit-unavailable`), ends of calls excepted. Default 10,000. */
  readonly maxQueuedRecords?: number;
  /** Characters of records that wait to be written. Default 64 Mi. */
  readonly maxQueuedChars?: number;
  /** Characters of `who`, `what` and `decision` of a record; what is beyond it is stored as a private value. Default 16 Ki. */
  readonly maxRecordChars?: number;
  /** Characters of a private value; beyond it, the record commits to it and it is not stored. Default 256 Ki. */
  readonly maxPrivateChars?: number;
  /** Records between two checkpoints. Default 1,000. */
  readonly maxUnsignedRecords?: number;
  /** Addresses whose refusals are counted apart in an interval; the rest is counted together. Default 1,000. */
  readonly maxAddresses?: number;
}

/** Times of `auditFolder`. */
export interface AuditFolderTimeouts {
  /** The longest time from a record to the next checkpoint. Default 10 seconds. */
  readonly checkpointMs?: number;
  /** The time that refusals are counted for one record. Default 10 seconds. */
  readonly refusalsMs?: number;
  /** How long `anchor` may take; then the next checkpoint is handed to it. Default 10 seconds. */
  readonly anchorMs?: number;
  /** How long to wait for another process that has the folder. Default 2 seconds. */
  readonly lockMs?: number;
}

/** The options of `auditFolder`. */
export interface AuditFolderOptions {
  /** The private key of `createAuditKey()`, which signs checkpoints. Without it there are no checkpoints. */
  readonly key?: JsonWebKey;
  /** Gets each signed checkpoint. Store it where an attacker of this machine cannot change it: only it can prove that the end of the log is there. */
  readonly anchor?: AuditAnchor;
  /** `os`: a record survives the end of the process. `sync`: it survives a power loss, too. Default `os`. */
  readonly durability?: 'os' | 'sync';
  /**
   * When the queue is full because the disk is slow to sync: `wait` makes callers wait, and refuses new ones. `spill` writes
   * the queue at once, and its callers wait only as with the durability `os`. Default `wait`.
   */
  readonly whenFull?: 'wait' | 'spill';
  /** Sizes and counts. */
  readonly limits?: AuditFolderLimits;
  /** Intervals and time limits. */
  readonly timeouts?: AuditFolderTimeouts;
  /** Gets what fails in the background: a checkpoint, the anchor, deleting old segments. Default: nothing is reported. */
  readonly onWarning?: (warning: TenonError) => void;
}

const oneOf = (...values: string[]): Rule => ({
  holds: (value) => values.includes(value as string),
  must: `be ${values.map((value) => `'${value}'`).join(' or ')}`,
});
const upTo = (max: number): Rule => ({
  holds: (value) => count.holds(value) && (value as number) <= max,
  must: `be an integer, 1 to ${max}`,
});

const mebi = 1024 * 1024;

const limitRules: Rules & Record<keyof AuditFolderLimits, Rule> = {
  maxSegmentBytes: count,
  maxSegments: count,
  maxQueuedRecords: count,
  maxQueuedChars: count,
  // A line is read back as a whole.
  maxRecordChars: upTo(mebi),
  maxPrivateChars: upTo(16 * mebi),
  maxUnsignedRecords: count,
  maxAddresses: count,
};

const timeoutRules: Rules & Record<keyof AuditFolderTimeouts, Rule> = {
  checkpointMs: duration,
  refusalsMs: duration,
  anchorMs: duration,
  lockMs: duration,
};

const rules: Rules & Record<keyof AuditFolderOptions, Rule> = {
  key: { holds: isPrivateKey, must: 'be the privateKey of createAuditKey(): an Ed25519 key as JWK' },
  anchor: callback,
  durability: oneOf('os', 'sync'),
  whenFull: oneOf('wait', 'spill'),
  limits: group(limitRules),
  timeouts: group(timeoutRules),
  onWarning: callback,
};

export interface ResolvedAuditOptions {
  readonly limits: ChainLimits & { readonly maxSegmentBytes: number };
  readonly timeouts: ChainTimeouts & { readonly lockMs: number };
  readonly durability: 'os' | 'sync';
  readonly whenFull: 'wait' | 'spill';
  readonly key: JsonWebKey | undefined;
  readonly anchor: AuditAnchor | undefined;
  /** Never throws. */
  readonly onWarning: (warning: TenonError) => void;
}

export function resolveOptions(options: AuditFolderOptions): ResolvedAuditOptions {
  checkOptions('auditFolder()', options, rules, 'invalid-argument', { privateKey: 'key', fsync: 'durability' });
  const { durability = 'os', whenFull = 'wait', limits, timeouts, key, anchor, onWarning } = options;
  return {
    durability,
    whenFull,
    key,
    anchor,
    onWarning: (warning) => runSafely(() => onWarning?.(warning)),
    limits: {
      maxSegmentBytes: 64 * mebi,
      maxSegments: Number.POSITIVE_INFINITY,
      maxQueuedRecords: 10_000,
      maxQueuedChars: 64 * mebi,
      maxRecordChars: 16 * 1024,
      maxPrivateChars: 256 * 1024,
      maxUnsignedRecords: 1000,
      maxAddresses: 1000,
      ...limits,
    },
    timeouts: { checkpointMs: 10_000, refusalsMs: 10_000, anchorMs: 10_000, lockMs: 2000, ...timeouts },
  };
}
