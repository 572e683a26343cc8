/** Guarding on Node: everything that runs anywhere, the audit log in files, and policies that are reloaded. */

export * from '../../guard/index.ts';
export { toApprovalListener } from '../approval-listener.ts';
export { type AuditFolder, auditFolder } from '../guard/audit/audit-folder.ts';
export type { AuditFolderOptions, VerifyAuditOptions } from '../guard/audit/options.ts';
export { searchAudit } from '../guard/audit/search-audit.ts';
export { verifyAudit } from '../guard/audit/verify-audit.ts';
export { type GuardOptions, guard } from '../guard/guard.ts';
export { lockFile } from '../guard/lock-file.ts';
export { type PolicyChange, type PolicyFile, policyFile } from '../guard/policy-file.ts';
export type { PolicyFileOptions } from '../guard/policy-options.ts';
