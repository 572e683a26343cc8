/** Guarding on Node: everything that runs anywhere, and the audit log in files. */

export type { AuditAnchor } from '../../guard/audit/anchoring.ts';
export type { AuditLog } from '../../guard/audit/audit-log.ts';
export { type AuditCheckpoint, type AuditKey, createAuditKey } from '../../guard/audit/checkpoint.ts';
export type { AuditEvent, AuditFields, AuditKind, AuditRecord } from '../../guard/audit/record.ts';
export type { AuditQuery, FoundRecord } from '../../guard/audit/search.ts';
export type { AuditProblem, InvalidAudit, ValidAudit } from '../../guard/audit/verify.ts';
export type { TenonError, TenonErrorCode, TenonErrorOptions } from '../../jsonrpc/errors.ts';
export type { MaybePromise } from '../../store/maybe-promise.ts';
export { type FileAudit, fileAudit } from './audit/file-audit.ts';
export type { FileAuditLimits, FileAuditOptions, FileAuditTimeouts } from './audit/options.ts';
export type { RedactionQuery } from './audit/redaction.ts';
export { searchAudit } from './audit/search-audit.ts';
export { type VerifyAuditOptions, verifyAudit } from './audit/verify-audit.ts';
