/** `createApprovals()`: approvals of calls that a host makes, for rules of its policy that name another approver. */
import { RpcError } from '../../jsonrpc/errors.ts';
import { TenonError, type TenonErrorCode } from '../../lib/errors/tenon-error.ts';
import { readOptions } from '../../lib/options/read-options.ts';
import { createDeadlines, type Deadlines } from '../../lib/time/deadlines.ts';
import { pause } from '../../lib/time/pause.ts';
import { isRecord } from '../../lib/values/is.ts';
import type { ApprovableCall } from '../../ports/approvable-call.ts';
import type { ApprovalOutcome, CallApprovals, CallToApprove } from '../../ports/call-approvals.ts';
import { type PendingApproval, pendingApprovalIn } from '../../ports/pending-approval.ts';
import { memoryApprovals } from '../../store/memory.ts';
import { type Approvals, approvalsOn } from './approvals.ts';
import { type ApprovalPorts, approveCall } from './approve-call.ts';
import { boundedStore } from './guard-approvals.ts';
import { approvalOptions } from './options.table.ts';
import type { ApprovalOptions } from './options.ts';
import { StoredApprovals } from './stored-approvals.ts';

/** Approvals of the calls of hosts: pass it as `approvals` of `createHost`. */
export interface HostApprovals extends Approvals, CallApprovals {}

/**
 * Creates approvals for hosts. Hosts, and the programs in which approvers decide, share them by the same store.
 *
 * ```ts
 * const approvals = createApprovals({ store: (await openStore('sqlite:./approvals.db')).approvals });
 * const host = createHost({ servers, policy: 'policy.yaml', approvals });
 * ```
 */
export function createApprovals(options: ApprovalOptions = {}): HostApprovals {
  const settings = readOptions('createApprovals()', approvalOptions, options);
  const deadlines = createDeadlines();
  const store = boundedStore(settings.store ?? memoryApprovals(), settings.storeTimeoutMs, deadlines);
  const stored = new StoredApprovals(() => store);
  return {
    ...approvalsOn(stored, undefined),
    approve: (call) => approve({ stored, settings, audit: call.audit }, call, deadlines),
  };
}

async function approve(ports: ApprovalPorts, call: CallToApprove, deadlines: Deadlines): Promise<ApprovalOutcome> {
  const { server, tool, principal, decision, decideAgain, waits } = call;
  const settings = waits ? ports.settings : { ...ports.settings, waitMs: 0 };
  const outcome = await approveCall(
    { ...ports, settings },
    {
      caller: { principal },
      tool,
      sent: call.arguments,
      decision: { approvers: [], expiresMs: undefined, ...decision },
      who: { key: principal?.key },
      what: {},
      decideAgain: () => {
        const { effect, approvers = [] } = decideAgain();
        return { effect, approvers };
      },
    },
    approvable(call, server, deadlines),
  );
  if (outcome === undefined) return { is: 'approved' };
  if (outcome instanceof RpcError) return refusedOutcome(outcome);
  const { content } = outcome.result as { readonly content: readonly [{ readonly text: string }] };
  return { is: 'pending', approval: pendingApprovalIn(outcome.result) as PendingApproval, text: content[0].text };
}

/** The user of a host is not asked: a rule that leaves it to them is one for the hooks of `consent`. */
const approvable = (
  { definition, signal, onError }: CallToApprove,
  server: string,
  deadlines: Deadlines,
): ApprovableCall => ({
  server,
  runId: crypto.randomUUID(),
  isTask: false,
  isApproved: false,
  requested: undefined,
  pauses: 0,
  definition,
  supports: () => false,
  elicit: async () => ({ action: 'cancel' }),
  completed: () => undefined,
  async pause(_approval, ms) {
    await pause(deadlines, ms, signal);
    signal.throwIfAborted();
  },
  once: (run) => run(),
  reportWait: () => undefined,
  failed: onError,
});

/** A refusal is an outcome; what may be better later is an error. */
function refusedOutcome({ reason, message, data, cause }: RpcError): ApprovalOutcome {
  if (reason === 'permission-denied' && isRecord(data))
    return { is: 'denied', text: message, reason: String(data.reason) };
  const code: TenonErrorCode = reason === 'audit-unavailable' ? reason : 'store-failed';
  throw new TenonError(code, message, { cause });
}
