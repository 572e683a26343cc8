/** Gets the decision about an approval that waits: by a form or a URL of the caller, or by waiting for another person. */
import { TenonError } from '../../lib/errors/tenon-error.ts';
import type { ApprovableCall, ElicitedAnswer } from '../../ports/approvable-call.ts';
import { type KnownApproval, stateOf } from './approval.ts';
import type { StoredApprovals } from './stored-approvals.ts';
import { formSchema, formText, urlText, waitText } from './texts.ts';

/** What an approval came to. `approved-here`, `denied-here`: the caller has answered a form. `waiting`: it is not decided yet. */
export type Obtained =
  | { readonly is: 'decided' | 'approved-here' | 'denied-here' | 'waiting'; readonly known: KnownApproval }
  | { readonly is: 'cancelled' | 'expired' };

export interface ObtainPorts {
  readonly stored: StoredApprovals;
  readonly waitMs: number;
  /** Where the approval is shown, if there is such a page. */
  readonly url: string | undefined;
  /** Whether the caller has a principal, and so can sign in to the page. */
  readonly isKnownCaller: boolean;
}

export async function obtain(ports: ObtainPorts, known: KnownApproval, call: ApprovableCall): Promise<Obtained> {
  const { url, isKnownCaller } = ports;
  const isOwn = known.record.approvers.length === 0;
  // With a page a caller decides there: what a form shows is what a client answers, and not who did.
  const hasPage = url !== undefined && isKnownCaller;
  if (isOwn && !hasPage && call.supports('form')) return byForm(ports, known, call);
  if (isOwn && hasPage && call.supports('url')) return byUrl(ports, known, call, url);
  return wait(ports, known, call);
}

async function byForm({ stored }: ObtainPorts, known: KnownApproval, call: ApprovableCall): Promise<Obtained> {
  const answer = await ask(stored, known, () =>
    call.elicit(known.stored.id, { message: formText(known), requestedSchema: formSchema }),
  );
  if (answer === undefined || answer.action === 'cancel') return { is: 'cancelled' };
  const isApproved = answer.action === 'accept' && answer.content?.decision === 'approve';
  return { is: isApproved ? 'approved-here' : 'denied-here', known };
}

async function byUrl(ports: ObtainPorts, known: KnownApproval, call: ApprovableCall, url: string): Promise<Obtained> {
  const { id } = known.stored;
  const answer = await ask(ports.stored, known, () => call.elicit(id, { message: urlText(known), url }));
  if (answer?.action !== 'accept') {
    if (answer?.action === 'decline') await ports.stored.remove(known);
    return { is: 'cancelled' };
  }
  const obtained = await wait(ports, known, call);
  if (obtained.is === 'decided') call.completed(id);
  return obtained;
}

/** The answer of the client. Without one the approval is withdrawn. */
async function ask(
  stored: StoredApprovals,
  known: KnownApproval,
  elicit: () => Promise<ElicitedAnswer>,
): Promise<ElicitedAnswer | undefined> {
  try {
    const answer = await elicit();
    if (answer.action === 'cancel') await stored.remove(known);
    return answer;
  } catch (error) {
    // The run has ended, and another one continues with the answer.
    if (error instanceof TenonError && error.code === 'input-required') throw error;
    await stored.remove(known);
    return undefined;
  }
}

const [firstPauseMs, longestPauseMs, reportEveryMs] = [50, 1000, 5000];

/** Looks at the approval again and again, for as long as the call may wait. */
async function wait(ports: ObtainPorts, known: KnownApproval, call: ApprovableCall): Promise<Obtained> {
  if (call.isTask) return waitAsTask(ports, known, call);
  await call.becomeTask?.();
  const { id } = known.stored;
  let [pauseMs, waitedMs, reportedMs] = [firstPauseMs, 0, Number.NEGATIVE_INFINITY];
  while (waitedMs < ports.waitMs) {
    if (waitedMs - reportedMs >= reportEveryMs) {
      call.reportWait(waitedMs, waitText(id));
      reportedMs = waitedMs;
    }
    const ms = Math.min(pauseMs, ports.waitMs - waitedMs);
    await call.pause(id, ms, 0);
    waitedMs += ms;
    pauseMs = Math.min(pauseMs * 2, longestPauseMs);
    const found = await foundNow(ports, id);
    if (found.is !== 'waiting') return found;
  }
  return { is: 'waiting', known };
}

const [firstSleepMs, longestSleepMs] = [500, 5 * 60_000];

/** Each pause ends the run, and is longer than the one before: a decision is noticed after half of the time that it took. */
async function waitAsTask(ports: ObtainPorts, known: KnownApproval, call: ApprovableCall): Promise<Obtained> {
  const { id } = known.stored;
  for (let n = call.pauses; ; n++) {
    call.reportWait(n, waitText(id));
    await call.pause(id, Math.min(firstSleepMs * 1.5 ** n, longestSleepMs), n);
    const found = await foundNow(ports, id);
    if (found.is !== 'waiting') return found;
  }
}

async function foundNow({ stored }: ObtainPorts, id: string): Promise<Obtained> {
  const known = await stored.read(id);
  if (known === undefined) return { is: 'expired' };
  return { is: stateOf(known.record) === 'waiting' ? 'waiting' : 'decided', known };
}
