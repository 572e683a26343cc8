/** Guarding on Node: everything that runs anywhere, the audit log in files, and policies that are reloaded. */

export * from '../../guard/index.ts';
export { type FileAudit, fileAudit } from './audit/file-audit.ts';
export type { FileAuditLimits, FileAuditOptions, FileAuditTimeouts } from './audit/options.ts';
export type { RedactionQuery } from './audit/redaction.ts';
export { searchAudit } from './audit/search-audit.ts';
export { type VerifyAuditOptions, verifyAudit } from './audit/verify-audit.ts';
export { type GuardOptions, guard } from './guard.ts';
export { lockFile } from './lock/lock-file.ts';
export type { PolicyFileOptions, PolicyFileTimeouts } from './policy/options.ts';
export { type PolicyChange, type PolicyFile, policyFile } from './policy/policy-file.ts';
