/** Errors of calls that get no approval. None of them has run. */
import type { RpcError } from '../../jsonrpc/errors.ts';
import { notStartedData } from '../../protocol/error-data.ts';
import { rpcError } from '../../protocol/errors.ts';
import type { KnownApproval } from './approval.ts';
import { maxArgumentChars } from './options.ts';
import { deniedText } from './texts.ts';

const refused = (decisionId: string, reason: string, text: string, more: object = {}): RpcError =>
  rpcError('permission-denied', text, { decisionId, reason, ...more });

export const approvalDenied = (decisionId: string, known: KnownApproval): RpcError =>
  refused(decisionId, 'approval-denied', deniedText(known), { approval: known.stored.id });

/** The user has closed the question, or the client did not answer. */
export const approvalCancelled = (decisionId: string): RpcError =>
  refused(decisionId, 'approval-cancelled', 'Nothing has run: the user gave no answer. Ask before you call again.');

export const tooManyWaiting = (decisionId: string, max: number): RpcError =>
  refused(
    decisionId,
    'too-many-approvals',
    `Nothing has run: ${max} other calls of this caller wait for an approval. Call again when one of them is decided.`,
  );

export const notReadable = (decisionId: string): RpcError =>
  refused(
    decisionId,
    'arguments-too-large',
    `Nothing has run: arguments of more than ${maxArgumentChars} characters cannot be approved. Use smaller ones.`,
  );

/** An approver would be shown another value. */
export const notExact = (decisionId: string): RpcError =>
  refused(decisionId, 'arguments-not-exact', 'Nothing has run: an argument is a number that JSON cannot represent.');

/** The tool, or the rules about it, changed while the call waited. */
export const changedMeanwhile = (decisionId: string): RpcError =>
  refused(decisionId, 'approval-outdated', 'Nothing has run: the tool or its rules have changed. Call again.');

export const credentialsExpired = (): RpcError =>
  rpcError('unauthorized', 'The credentials of the request expired while it waited for an approval.');

export const storeFull = (): RpcError =>
  rpcError('overloaded', 'Too many approvals are stored. Try again when some have expired.', {
    ...notStartedData,
    retryAfterMs: 60_000,
  });

export const storeUnavailable = (cause: unknown): RpcError =>
  rpcError(
    'overloaded',
    'The store of approvals is unavailable. Try again later.',
    { ...notStartedData, retryAfterMs: 1000 },
    cause,
  );

export const notRecorded = (cause: unknown): RpcError =>
  rpcError(
    'audit-unavailable',
    'The server cannot record the approval of this call. Try again later.',
    { ...notStartedData, retryAfterMs: 1000 },
    cause,
  );
