/** Approvals in their store: requested, decided, used once. Each change is a compare and swap. */
import { TenonError } from '../../lib/errors/tenon-error.ts';
import { canonicalJson } from '../../lib/text/canonical-json.ts';
import type { RuleApprover } from '../../ports/approval.ts';
import type { ApprovalStore } from '../../store/approval-store.ts';
import {
  type ApprovalRecord,
  type Decider,
  type KnownApproval,
  newApprovalId,
  readApproval,
  stateOf,
} from './approval.ts';
import { mayDecide, mayRead } from './may-decide.ts';
import { alreadyDecided, notFound, ownCall } from './problems.ts';

/** What is requested: the record of a new approval, and how long it lasts. */
export interface RequestedApproval {
  readonly record: Omit<ApprovalRecord, 'v' | 'decision' | 'use' | 'createdAt'>;
  readonly ttlMs: number;
  /** Whose share it counts for, and how many of it may wait. */
  readonly share: string;
  readonly maxWaiting: number;
}

/** A change that another process was faster with is tried again on what it left. */
const maxAttempts = 5;

const pageSize = 100;

export class StoredApprovals {
  readonly #store: () => ApprovalStore;

  /** `store` returns the one that is in use now. */
  constructor(store: () => ApprovalStore) {
    this.#store = store;
  }

  /** The approval of a call: the one that it has, if that still fits the rules, or a new one. */
  async request({
    record,
    ttlMs,
    share,
    maxWaiting,
  }: RequestedApproval): Promise<{ readonly known: KnownApproval; readonly isNew: boolean } | 'full' | 'too-many'> {
    // Those that the caller decides itself replace each other: one that it has left must not keep it from calling.
    const beyond = record.approvers.length === 0 ? 'delete-oldest' : 'refuse';
    const data = JSON.stringify({ v: 1, ...record } satisfies ApprovalRecord);
    for (let attempt = 0; attempt < maxAttempts; attempt++) {
      const added = { id: newApprovalId(), call: record.digest, share, data, ttlMs };
      const created = await this.#store().create(added, { maxWaiting, beyond });
      if (typeof created === 'string') return created;
      const known = readApproval(created.approval);
      if (created.isNew) return { known, isNew: true };
      if (known.record.digest !== record.digest) throw notOfThisCall();
      if (fits(known, record.approvers, ttlMs)) return { known, isNew: false };
      // The rules have changed: it is neither shown nor used any more.
      await this.#store().delete(known.stored);
    }
    throw contended();
  }

  /** `undefined` for one that does not exist, or has expired. */
  async read(id: string): Promise<KnownApproval | undefined> {
    const stored = await this.#store().read(id);
    return stored && readApproval(stored);
  }

  /** Throws `approval-not-found`, `approval-decided`, and `permission-denied` for the caller of another's decision. */
  async decide(
    id: string,
    is: 'approve' | 'deny',
    by: Decider,
    reason: string | undefined,
    isRecorded: boolean,
  ): Promise<KnownApproval> {
    for (let attempt = 0; attempt < maxAttempts; attempt++) {
      const known = await this.read(id);
      if (known === undefined || !mayRead(by, known.record)) throw notFound(id);
      const { stored, record } = known;
      if (!mayDecide(by, record, record.approvers)) throw ownCall(id);
      const state = stateOf(record);
      if (state !== 'waiting') throw alreadyDecided(id, state);
      const decision = {
        is,
        by,
        at: stored.now,
        ...(reason !== undefined && { reason }),
        ...(isRecorded && { isRecorded }),
      };
      const decided: ApprovalRecord = { ...record, decision: decision as ApprovalRecord['decision'] & object };
      if (await this.#write(known, decided, 'decided')) return { stored, record: decided };
    }
    throw contended();
  }

  /**
   * Uses an approval for one run, `holder`, which may do so again. `undefined` if it cannot be used: it was used for
   * another run, or has expired.
   */
  async use(known: KnownApproval, holder: string): Promise<KnownApproval | undefined> {
    const { stored, record } = known;
    if (record.use !== undefined) return record.use.holder === holder ? known : undefined;
    const { decision } = record;
    if (decision?.is !== 'approve') return undefined;
    const used: ApprovalRecord = {
      ...record,
      decision: { ...decision, isRecorded: true },
      use: { holder, at: stored.now },
      createdAt: stored.createdAt,
    };
    return (await this.#write(known, used, 'over')) ? { stored, record: used } : undefined;
  }

  /** The answer of the caller to a form in its own call, which is used at once if it approves. False if another decision was faster. */
  async answerByCaller(
    known: KnownApproval,
    is: 'approve' | 'deny',
    holder: string,
  ): Promise<KnownApproval | undefined> {
    const { stored, record } = known;
    if (stateOf(record) !== 'waiting') return undefined;
    const { caller: key, requester = { issuer: '', subject: '' } } = record;
    const by: Decider = { ...requester, key, scopes: [], roles: [] };
    const decided: ApprovalRecord = { ...record, decision: { is, by, at: stored.now, isRecorded: true } };
    if (is === 'deny') return (await this.#write(known, decided, 'decided')) ? { stored, record: decided } : undefined;
    const used = { ...decided, use: { holder, at: stored.now }, createdAt: stored.createdAt };
    return (await this.#write(known, used, 'over')) ? { stored, record: used } : undefined;
  }

  /** Marks a decision as recorded. True for the first one who does. */
  async markRecorded(known: KnownApproval): Promise<boolean> {
    const { decision } = known.record;
    if (decision === undefined || decision.isRecorded) return false;
    return this.#write(known, { ...known.record, decision: { ...decision, isRecorded: true } }, 'decided');
  }

  /** Withdraws an approval that has not changed since it was read. */
  async remove({ stored }: KnownApproval): Promise<boolean> {
    return this.#store().delete(stored);
  }

  /** Those that a principal may decide, or may read with `all`: the oldest first. */
  async list(by: Decider, which: 'waiting' | 'all', max: number): Promise<readonly KnownApproval[]> {
    const found: KnownApproval[] = [];
    let after: string | undefined;
    do {
      const page = await this.#store().list(which, after, pageSize);
      const known = page.approvals.map(readApproval);
      const may = ({ record }: KnownApproval): boolean =>
        which === 'all' ? mayRead(by, record) : mayDecide(by, record, record.approvers);
      found.push(...known.filter(may));
      after = page.next;
    } while (after !== undefined && found.length < max);
    return found.slice(0, max);
  }

  async #write({ stored }: KnownApproval, record: ApprovalRecord, state: 'decided' | 'over'): Promise<boolean> {
    return this.#store().write(stored, { data: JSON.stringify(record), state });
  }
}

/** Whether an approval is one that the rules of now ask for, and not older than they allow. */
function fits({ stored, record }: KnownApproval, approvers: readonly RuleApprover[], ttlMs: number): boolean {
  if (stored.createdAt + ttlMs <= stored.now) return false;
  return canonicalJson(record.approvers) === canonicalJson(approvers);
}

const notOfThisCall = (): TenonError =>
  new TenonError('store-failed', 'The store has another approval under the name of this call.', {
    hint: 'Its contents were changed. Nothing has run.',
  });

const contended = (): TenonError =>
  new TenonError('store-busy', 'An approval was changed by others too often in a row.', { hint: 'Try again.' });
