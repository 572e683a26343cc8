/** Has one run of a call approved: by its caller or by another person, for one use, and decided again right before that. */
import { RpcError } from '../../jsonrpc/errors.ts';
import { TenonError } from '../../lib/errors/tenon-error.ts';
import type { Filled } from '../../lib/options/read-options.ts';
import { canonicalJson } from '../../lib/text/canonical-json.ts';
import type { ApprovableCall } from '../../ports/approvable-call.ts';
import type { ApprovalAudit, ApprovalEvent } from '../../ports/call-approvals.ts';
import type { GuardedCaller } from '../../ports/guard.ts';
import { pendingResult } from '../../ports/pending-approval.ts';
import { shareOf } from '../../ports/share.ts';
import type { Done } from '../../protocol/neutral.ts';
import type { AuditFields } from '../audit/record.ts';
import type { Decision, DecisionOutcome } from '../policy/decision.ts';
import { type KnownApproval, shownApproval, stateOf, userOf } from './approval.ts';
import { callDigest } from './call-digest.ts';
import { decidedEvent, requestedEvent, usedEvent } from './events.ts';
import { mayDecide } from './may-decide.ts';
import { type Obtained, obtain } from './obtain.ts';
import type { approvalOptions } from './options.table.ts';
import type { ApprovalOptions } from './options.ts';
import {
  approvalCancelled,
  approvalDenied,
  changedMeanwhile,
  credentialsExpired,
  notExact,
  notReadable,
  notRecorded,
  storeFull,
  storeUnavailable,
  tooManyWaiting,
} from './refusals.ts';
import type { RequestedApproval, StoredApprovals } from './stored-approvals.ts';
import { expiredText, pendingText } from './texts.ts';

export type ApprovalSettings = Filled<ApprovalOptions, typeof approvalOptions>;

export interface ApprovalPorts {
  readonly stored: StoredApprovals;
  readonly settings: ApprovalSettings;
  readonly audit: ApprovalAudit | undefined;
}

/** A call that a rule asks about. */
export interface AskedCall {
  readonly caller: GuardedCaller;
  readonly tool: string;
  /** The arguments as they were sent. */
  readonly sent: unknown;
  /** The validated arguments, if they are others and JSON can represent them. */
  readonly validated?: unknown;
  readonly decision: Pick<Decision, 'decisionId' | 'effect' | 'rule' | 'approvers' | 'expiresMs'>;
  /** What records say about the caller and the call. */
  readonly who: AuditFields;
  readonly what: AuditFields;
  /** What the policy decides now: an approval never outweighs `deny`. */
  decideAgain(): Pick<DecisionOutcome, 'effect' | 'approvers'>;
}

/** Resolves with nothing when the run may begin, or with what the call ends with. */
export async function approveCall(
  ports: ApprovalPorts,
  asked: AskedCall,
  call: ApprovableCall,
): Promise<Done | RpcError | undefined> {
  if (call.isApproved) return undefined;
  try {
    return await new CallApproval(ports, asked, call).obtain();
  } catch (error) {
    if (error instanceof RpcError) return error;
    if (error instanceof TenonError && error.code.startsWith('store-')) return storeUnavailable(error);
    throw error;
  }
}

/** It was used by another run, or has expired. */
const notUsable = new TenonError('approval-decided', 'The approval cannot be used any more.');

/** How often a call requests another approval since an equal call has used the one before. */
const maxRequests = 8;

class CallApproval {
  readonly #ports: ApprovalPorts;
  readonly #asked: AskedCall;
  readonly #call: ApprovableCall;
  /** The tool that was approved, as it was listed then. */
  readonly #definition: object;

  constructor(ports: ApprovalPorts, asked: AskedCall, call: ApprovableCall) {
    this.#ports = ports;
    this.#asked = asked;
    this.#call = call;
    this.#definition = call.definition() ?? {};
  }

  async obtain(): Promise<Done | RpcError | undefined> {
    const requested = await this.#request();
    let earlier = await this.#earlier(requested.record.digest);
    if (earlier === 'expired') return this.#expired(this.#call.requested ?? '');
    for (let n = 0; n < maxRequests; n++) {
      const known: KnownApproval = earlier ?? (await this.#create(requested));
      earlier = undefined;
      const outcome = await this.#outcome(known);
      if (outcome !== 'again') return outcome;
    }
    throw new TenonError('store-busy', 'Equal calls have used every approval of this one.');
  }

  /** The approval of an earlier run. A task that waited for one which has expired requests no other. */
  async #earlier(digest: string): Promise<KnownApproval | 'expired' | undefined> {
    const { requested, isTask } = this.#call;
    const known = requested === undefined ? undefined : await this.#ports.stored.read(requested);
    if (known === undefined || known.record.digest !== digest)
      return isTask && requested !== undefined ? 'expired' : undefined;
    // Used for another call: this one needs its own.
    return known.record.use === undefined || known.record.use.holder === this.#call.runId ? known : undefined;
  }

  /** Throws the refusal of a call that cannot be approved. */
  async #request(): Promise<RequestedApproval> {
    const { settings } = this.#ports;
    const { caller, tool, sent, decision } = this.#asked;
    const principal = caller.principal?.key ?? '';
    const { server } = this.#call;
    const digest = await callDigest({ server, principal, tool, arguments: sent, definition: this.#definition });
    if (digest === undefined) throw notExact(decision.decisionId);
    const validated = 'validated' in this.#asked ? { validated: this.#asked.validated } : {};
    // As they are stored and shown: what JSON leaves out does not count.
    const shown: readonly unknown[] = [sent, ...Object.values(validated)];
    const chars = shown.reduce<number>((sum, one) => sum + JSON.stringify(one).length, 0);
    if (chars > settings.maxArgumentChars) throw notReadable(decision.decisionId);
    return {
      record: {
        server,
        tool,
        arguments: sent,
        ...validated,
        digest,
        caller: principal,
        ...(caller.principal && { requester: userOf(caller.principal) }),
        approvers: decision.approvers,
        ...(decision.rule !== undefined && { rule: decision.rule }),
      },
      ttlMs: decision.expiresMs ?? settings.ttlMs,
      share: shareOf(caller) ?? 'local',
      maxWaiting: settings.maxWaitingPerCaller,
    };
  }

  async #create(requested: RequestedApproval): Promise<KnownApproval> {
    const { stored, settings } = this.#ports;
    const { who, what, decision } = this.#asked;
    const created = await stored.request(requested);
    if (created === 'full') throw tooManyWaiting(decision.decisionId, settings.maxWaitingPerCaller);
    if (created === 'too-many') throw storeFull();
    const { known, isNew } = created;
    if (!isNew) return known;
    await this.#record('begin', [requestedEvent(known, who, what, this.#decided())]).catch(async (error: unknown) => {
      await stored.remove(known);
      throw error;
    });
    this.#notify(known);
    return known;
  }

  /** Notifies approvers in the background: the call waits for them anyway. */
  #notify(known: KnownApproval): void {
    const { onRequest } = this.#ports.settings;
    const notify = async (): Promise<void> => void (await onRequest?.(shownApproval(known)));
    notify().catch((cause: unknown) =>
      this.#call.failed(new TenonError('callback-failed', 'The callback approvals.onRequest threw.', { cause })),
    );
  }

  async #outcome(known: KnownApproval): Promise<Done | RpcError | undefined | 'again'> {
    const obtained: Obtained =
      stateOf(known.record) === 'waiting'
        ? await obtain(
            {
              stored: this.#ports.stored,
              waitMs: this.#ports.settings.waitMs,
              url: this.#urlOf(known),
              isKnownCaller: this.#asked.caller.principal !== undefined,
            },
            known,
            this.#call,
          )
        : { is: 'decided', known };
    switch (obtained.is) {
      case 'cancelled':
        return approvalCancelled(this.#asked.decision.decisionId);
      case 'expired':
        return this.#expired(known.stored.id);
      case 'waiting':
        return this.#pending(known);
      case 'denied-here':
        return this.#denyHere(known);
      case 'approved-here':
        return this.#use(known, (runId) => this.#ports.stored.answerByCaller(known, 'approve', runId));
      case 'decided':
        return this.#afterDecision(obtained.known);
    }
  }

  async #afterDecision(known: KnownApproval): Promise<RpcError | undefined | 'again'> {
    const { stored, audit } = this.#ports;
    if (stateOf(known.record) === 'denied') {
      // What an operator decides is not in the log yet.
      if (audit !== undefined && (await stored.markRecorded(known)))
        await this.#record('append', [decidedEvent(known)]);
      return approvalDenied(this.#asked.decision.decisionId, known);
    }
    return this.#use(known, (runId) => stored.use(known, runId));
  }

  async #denyHere(known: KnownApproval): Promise<RpcError | 'again'> {
    const denied = await this.#ports.stored.answerByCaller(known, 'deny', this.#call.runId);
    if (denied === undefined) return 'again';
    await this.#record('append', [decidedEvent(denied)]);
    return approvalDenied(this.#asked.decision.decisionId, denied);
  }

  /** Claims the run. What cannot be used any more needs another approval. */
  async #use(
    known: KnownApproval,
    claim: (runId: string) => Promise<KnownApproval | undefined>,
  ): Promise<RpcError | undefined | 'again'> {
    const refused = this.#refusedNow(known);
    if (refused !== undefined) {
      await this.#ports.stored.remove(known);
      return refused;
    }
    const { who, what } = this.#asked;
    try {
      await this.#call.once(async () => {
        const used = await claim(this.#call.runId);
        if (used === undefined) throw notUsable;
        const isDecisionNew = known.record.decision?.isRecorded !== true;
        const events = [usedEvent(used, who, what, this.#decided())];
        await this.#record('append', isDecisionNew ? [decidedEvent(used), ...events] : events);
      });
      return undefined;
    } catch (error) {
      if (error === notUsable) return 'again';
      throw error;
    }
  }

  /** Policy, tool and credentials are those of now. */
  #refusedNow({ record }: KnownApproval): RpcError | undefined {
    const { decision, caller, decideAgain } = this.#asked;
    const { effect, approvers } = decideAgain();
    const by = record.decision?.by;
    const isAccepted = by === undefined ? approvers.length === 0 : mayDecide(by, record, approvers);
    if (effect === 'deny' || (effect === 'ask' && !isAccepted)) return changedMeanwhile(decision.decisionId);
    const definition = this.#call.definition();
    if (definition === undefined || canonicalJson(definition) !== canonicalJson(this.#definition))
      return changedMeanwhile(decision.decisionId);
    // The runs of a task go on after the credentials of its call have expired.
    const { expiresAt = Number.POSITIVE_INFINITY } = caller.principal ?? {};
    return !this.#call.isTask && expiresAt <= Date.now() ? credentialsExpired() : undefined;
  }

  #pending(known: KnownApproval): Done {
    const url = this.#urlOf(known);
    const { id, expiresAt } = known.stored;
    return pendingResult(pendingText(known, url), { id, expiresAt, ...(url !== undefined && { url }) });
  }

  #expired(id: string): Done {
    return pendingResult(expiredText(id), { id, expiresAt: 0 });
  }

  #urlOf(known: KnownApproval): string | undefined {
    return this.#ports.settings.url?.(shownApproval(known));
  }

  #decided(): AuditFields {
    const { decisionId, effect, rule } = this.#asked.decision;
    return { decisionId, effect, rule };
  }

  /** Throws the refusal of a call that cannot be recorded. What has happened is recorded as soon as that is possible. */
  async #record(as: 'begin' | 'append', events: readonly ApprovalEvent[]): Promise<void> {
    try {
      for (const event of events) await this.#ports.audit?.[as](event);
    } catch (cause) {
      throw notRecorded(cause);
    }
  }
}
