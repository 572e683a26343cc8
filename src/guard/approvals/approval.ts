/** An approval of exactly one call: as approvers see it, and as a store has it. */
import { TenonError } from '../../lib/errors/tenon-error.ts';
import { isRecord } from '../../lib/values/is.ts';
import type { RuleApprover } from '../../ports/approval.ts';
import type { Principal } from '../../ports/principal.ts';
import type { StoredApproval } from '../../store/approval-store.ts';

/** Who requested an approval, or decided about one. */
export interface ApprovalUser {
  /** Who vouches for the subject; empty for a name alone. */
  readonly issuer: string;
  /** The user or program, as the issuer names it. */
  readonly subject: string;
  /** The OAuth client that acts for the subject. */
  readonly client?: string;
}

/** An approval of one call. */
export interface Approval {
  /** Its ID, which is no secret: to decide needs more. */
  readonly id: string;
  /** `approved`: the call may run once. `used`: it was begun. */
  readonly state: 'waiting' | 'approved' | 'denied' | 'used';
  /** The name of the server. */
  readonly server: string;
  /** The tool that is called. */
  readonly tool: string;
  /** The arguments exactly as they were sent. */
  readonly arguments: unknown;
  /** The arguments with which the tool runs, where defaults or conversions make them others. */
  readonly validated?: unknown;
  /** The SHA-256 of the call: server, caller, tool, its definition, and the arguments as they were sent. */
  readonly digest: string;
  /** Who calls; absent for a caller without a principal. */
  readonly requester?: ApprovalUser;
  /** Who may decide, besides an operator: a principal that all of them name. Without any it is the caller. */
  readonly approvers: readonly RuleApprover[];
  /** The rule of the policy that asks. */
  readonly rule?: string;
  /** When it was requested, in milliseconds since 1970 on the clock of the store. */
  readonly createdAt: number;
  /** Until when it can be decided and used. */
  readonly expiresAt: number;
  /** What was decided. */
  readonly decision?: ApprovalDecision;
  /** When the call was begun. */
  readonly usedAt?: number;
}

/** A decision about an approval. */
export interface ApprovalDecision {
  /** Who decided. */
  readonly by: ApprovalUser;
  /** When. */
  readonly at: number;
  /** What the approver wrote. */
  readonly reason?: string;
}

/** An approver, as it is stored. An operator has access to the store, and may decide everything. */
export type Decider =
  | { readonly operator: string }
  | (ApprovalUser & Pick<Principal, 'key' | 'scopes' | 'roles'> & { readonly operator?: undefined });

/** What the text of a stored approval has. */
export interface ApprovalRecord {
  readonly v: 1;
  readonly server: string;
  readonly tool: string;
  readonly arguments: unknown;
  readonly validated?: unknown;
  readonly digest: string;
  /** The key of the principal that calls; empty without one. */
  readonly caller: string;
  readonly requester?: ApprovalUser;
  readonly approvers: readonly RuleApprover[];
  readonly rule?: string;
  readonly decision?: {
    readonly is: 'approve' | 'deny';
    readonly by: Decider;
    readonly at: number;
    readonly reason?: string;
    /** Whether the audit log of a guard has it: what an operator decides is recorded by the guard that finds it. */
    readonly isRecorded?: true;
  };
  readonly use?: { readonly holder: string; readonly at: number };
  /** Set when it is used: the store makes a new row then. */
  readonly createdAt?: number;
}

/** An approval as it was read. */
export interface KnownApproval {
  readonly stored: StoredApproval;
  readonly record: ApprovalRecord;
}

/** Throws `store-failed` for a text that is no approval. */
export function readApproval(stored: StoredApproval): KnownApproval {
  const record: unknown = JSON.parse(stored.data);
  if (isRecord(record) && record.v === 1) return { stored, record: record as unknown as ApprovalRecord };
  throw new TenonError('store-failed', 'The store has an approval that cannot be read.', {
    hint: 'A newer version of Tenon may have written it.',
  });
}

export function stateOf({ decision, use }: ApprovalRecord): Approval['state'] {
  if (use !== undefined) return 'used';
  if (decision === undefined) return 'waiting';
  return decision.is === 'approve' ? 'approved' : 'denied';
}

/** What approvers see: neither keys of principals, nor names of runs. */
export function shownApproval({ stored, record }: KnownApproval): Approval {
  const { server, tool, digest, requester, approvers, rule, decision, use } = record;
  return {
    id: stored.id,
    state: stateOf(record),
    server,
    tool,
    arguments: record.arguments,
    ...('validated' in record && { validated: record.validated }),
    digest,
    ...(requester && { requester }),
    approvers,
    ...(rule !== undefined && { rule }),
    createdAt: record.createdAt ?? stored.createdAt,
    expiresAt: stored.expiresAt,
    ...(decision && {
      decision: {
        by: shownDecider(decision.by),
        at: decision.at,
        ...(decision.reason !== undefined && { reason: decision.reason }),
      },
    }),
    ...(use && { usedAt: use.at }),
  };
}

const shownDecider = (by: Decider): ApprovalUser =>
  by.operator !== undefined ? { issuer: 'operator', subject: by.operator } : userOf(by);

export const userOf = ({
  issuer,
  subject,
  client,
}: Pick<Principal, 'issuer' | 'subject'> & { client?: string | undefined }): ApprovalUser => ({
  issuer,
  subject,
  ...(client !== undefined && { client }),
});

export const deciderOf = (principal: Principal): Decider => ({
  ...userOf(principal),
  key: principal.key,
  scopes: principal.scopes,
  roles: principal.roles,
});

/** Without those that are easily taken for others: people read it to each other. */
const letters = '23456789ABCDEFGHJKMNPQRSTVWXYZ';
const idLength = 10;

/** An ID that cannot be guessed in the lifetime of an approval. */
export function newApprovalId(): string {
  let id = '';
  while (id.length < idLength)
    // Larger bytes would make the first letters more likely.
    for (const byte of crypto.getRandomValues(new Uint8Array(16)))
      if (byte < 240 && id.length < idLength) id += letters[byte % letters.length];
  return id;
}

/** An ID as a person has typed it. */
export const typedId = (text: string): string => text.trim().toUpperCase();

const idShape = new RegExp(`^[${letters}]{${idLength}}$`);

export const isApprovalId = (text: string): boolean => idShape.test(text);
