/** Guarding servers and hosts: the audit log. */

export type { AuditAnchor } from './audit/anchoring.ts';
export type { AuditLog } from './audit/audit-log.ts';
export { type AuditCheckpoint, type AuditKey, createAuditKey } from './audit/checkpoint.ts';
export type { AuditEvent, AuditFields, AuditKind, AuditRecord } from './audit/record.ts';
export type { AuditQuery, FoundRecord } from './audit/search.ts';
export type { AuditProblem, InvalidAudit, ValidAudit } from './audit/verify.ts';
