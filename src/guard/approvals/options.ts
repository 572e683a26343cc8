/** The option `approvals` of a guard. */
import { has, type Rule } from '../../lib/options/option-rules.ts';
import type { ApprovalStore } from '../../store/approval-store.ts';
import type { Approval } from './approval.ts';

/**
 * How calls get the approval that a rule asks for.
 * @area guard
 */
export interface ApprovalOptions {
  /**
   * Where approvals are stored. Nodes that share it share them.
   * @default computed `approvals` of the `store` of the server; without one, memory of this process
   * @rule approvalStore
   */
  readonly store?: ApprovalStore;
  /**
   * How long an approval can be given and used, unless its rule has `expires`.
   * @default 1 h
   * @most 168 h
   * @beyond it does not exist any more; the next call requests another one
   */
  readonly ttlMs?: number;
  /**
   * How long a call waits for another approver before it is answered, with progress. 0: not at all.
   * @default 20 s
   * @least 0
   * @most 5 min
   * @beyond a result with `isError`, which says until when the call can be repeated
   */
  readonly waitMs?: number;
  /**
   * Returns the address at which `toApprovalHandler` shows an approval. With it, callers approve their own calls there,
   * never by a form: a form shows what a client answers, and not who did.
   * @default off
   */
  readonly url?: (approval: Approval) => string;
  /**
   * Called with every approval that is requested, to notify those who may decide.
   * @default off
   */
  readonly onRequest?: (approval: Approval) => unknown;
  /**
   * Approvals of one caller that wait for another approver.
   * @default 8
   * @beyond the call is refused until one is decided or expires
   * @code permission-denied
   */
  readonly maxWaitingPerCaller?: number;
}

/**
 * How long the store of approvals may take.
 * @limit ApprovalOptions.storeTimeoutMs
 * @beyond 503; `onError` gets the code
 * @code store-timeout
 */
export const storeTimeoutMs = 2000;

/**
 * Characters of the arguments of a call that is approved, as JSON, before and after validation together.
 * @limit ApprovalOptions.maxArgumentChars
 * @beyond the call is refused: no approver would read it
 * @code permission-denied
 */
export const maxArgumentChars = 32_000;

/**
 * Characters of the reason of a decision.
 * @limit ApprovalOptions.maxReasonChars
 * @beyond the decision is refused
 * @code invalid-argument
 */
export const maxReasonChars = 500;

/**
 * Approvals that one list shows.
 * @limit ApprovalOptions.maxListed
 * @beyond the newest are left out until others are decided
 */
export const maxListed = 200;

export const approvalStore: Rule = {
  holds: (value) => has(value, 'create') && has(value, 'write') && has(value, 'list'),
  must: 'be a store of approvals, such as approvals of openStore()',
};
