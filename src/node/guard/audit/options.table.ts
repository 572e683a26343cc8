/** Tables of options, generated from the interfaces beside it: do not edit, run `npm run generate`. */
import { callback, count, group, ms, oneOf, type Table, table } from '../../../lib/options/option-table.ts';
import { anchorMs, auditAnchor, auditCheckpoints, type AuditFolderLimits, type AuditFolderOptions, type AuditFolderTimeouts, auditKey, auditPublicKeys, lockMs, maxAddresses, maxPrivateChars, maxQueuedChars, maxQueuedRecords, maxRecordChars, maxUnsignedRecords, refusalsMs, type VerifyAuditOptions } from './options.ts';

export const auditFolderLimits = /* @__PURE__ */ table(
  () =>
    ({
      maxSegmentBytes: count(67_108_864),
      maxSegments: count(),
    }) satisfies Table<AuditFolderLimits>,
  {
    maxQueuedRecords,
    maxQueuedChars,
    maxRecordChars,
    maxPrivateChars,
    maxUnsignedRecords,
    maxAddresses,
  },
);

export const auditFolderTimeouts = /* @__PURE__ */ table(
  () =>
    ({
      checkpointMs: ms(10_000),
    }) satisfies Table<AuditFolderTimeouts>,
  {
    refusalsMs,
    anchorMs,
    lockMs,
  },
);

export const auditFolderOptions = /* @__PURE__ */ table(
  () =>
    ({
      key: auditKey,
      anchor: auditAnchor,
      durability: oneOf(['os', 'sync'], 'os'),
      whenFull: oneOf(['wait', 'spill'], 'wait'),
      limits: group(auditFolderLimits),
      timeouts: group(auditFolderTimeouts),
      onWarning: callback,
    }) satisfies Table<AuditFolderOptions>,
);

export const verifyAuditOptions = /* @__PURE__ */ table(
  () =>
    ({
      publicKey: auditPublicKeys,
      anchor: auditCheckpoints,
    }) satisfies Table<VerifyAuditOptions>,
);
