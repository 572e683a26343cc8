/** One run of a call on a guarded server: decided by the policy, counted by the limits, recorded in the audit log. */
import { RpcError } from '../../jsonrpc/errors.ts';
import { isPromiseLike } from '../../lib/values/is.ts';
import { type MaybePromise, startOperation } from '../../lib/values/maybe-promise.ts';
import { runSafely } from '../../lib/values/run-safely.ts';
import type { ApprovableCall } from '../../ports/approvable-call.ts';
import type { CallOutcome } from '../../ports/call-outcome.ts';
import type {
  GuardedAction,
  GuardedCall,
  GuardedCaller,
  GuardedFeature,
  GuardedRequest,
  GuardedTask,
} from '../../ports/guard.ts';
import { cutOffData, notStartedData } from '../../protocol/error-data.ts';
import { isChallenge, rpcError } from '../../protocol/errors.ts';
import type { Done } from '../../protocol/neutral.ts';
import { type ApprovalPorts, approveCall } from '../approvals/approve-call.ts';
import type { AuditLog } from '../audit/audit-log.ts';
import type { LimitPermit, Limits } from '../limits/limits.ts';
import type { Decision } from '../policy/decision.ts';
import type { Policy } from '../policy/policy.ts';
import type { PolicyAction, PolicyTarget } from '../policy/rule.ts';
import {
  type AbsentFeature,
  type AllowedCall,
  challengeEvent,
  type DecidedCall,
  endEvent,
  refusedEvent,
  startEvent,
  whatOf,
  whoOf,
} from './audit-events.ts';
import { validatedArguments } from './recorded-arguments.ts';

/** The ports that all calls of one guard share. */
export interface GuardPorts {
  readonly policy: Policy;
  readonly audit: AuditLog | undefined;
  readonly limits: Limits | undefined;
  /** Absent where a rule that asks refuses. */
  readonly approvals: ApprovalPorts | undefined;
  /** Records that a call is over a limit. */
  readonly recordLimit: ((request: GuardedRequest, refused: RpcError) => void) | undefined;
  /** The feature with the name of the server, for rules that have one. */
  targetOf(feature: GuardedFeature): PolicyTarget;
}

type State =
  | { readonly is: 'arrived' }
  /** The policy allows it. */
  | { readonly is: 'allowed'; readonly decided: AllowedCall }
  /** The handler may run; its record needs one of the end. */
  | { readonly is: 'started'; readonly decided: AllowedCall }
  | { readonly is: 'ended' };

export class PolicyCall implements GuardedCall {
  readonly #ports: GuardPorts;
  #request: GuardedRequest;
  #state: State = { is: 'arrived' };
  #permit: LimitPermit | undefined;
  /** Set if the call needs an approval before its handler runs. */
  #asked: DecidedCall | undefined;

  constructor(ports: GuardPorts, request: GuardedRequest) {
    this.#ports = ports;
    this.#request = request;
  }

  sees(feature: GuardedFeature): boolean {
    const { principal, address } = this.#request.caller;
    return this.#ports.policy.visible({ principal, address, target: this.#ports.targetOf(feature) });
  }

  admit(tool: string | undefined): MaybePromise<RpcError | undefined> {
    const { limits } = this.#ports;
    if (limits === undefined) return undefined;
    const { caller, method, callId, round, task } = this.#request;
    // The call that created the task was counted, and tasks have limits of their own.
    if (task?.attempt !== undefined) return undefined;
    const taken = limits.take({
      principal: caller.principal?.key,
      address: caller.address,
      tool,
      staysOpen: method === 'subscriptions/listen',
      round: round === 0 ? undefined : { callId, round },
    });
    return isPromiseLike(taken) ? taken.then((one) => this.#taken(one)) : this.#taken(taken);
  }

  #taken(taken: LimitPermit | RpcError): RpcError | undefined {
    if (taken instanceof RpcError) return this.#overLimit(taken);
    // The call ended while the limits were checked.
    if (this.#state.is === 'ended') taken.release();
    else this.#permit = taken;
    return undefined;
  }

  #overLimit(refused: RpcError): RpcError {
    this.#ports.recordLimit?.(this.#request, refused);
    return refused;
  }

  /** Nothing ran, so the answer does not depend on the record: otherwise it would reveal the feature. */
  async hidden(feature: GuardedFeature, isUnknown = false): Promise<void> {
    const decided = this.#decide('list', this.#ports.targetOf(feature), undefined);
    try {
      await this.#recordRefusal(decided, isUnknown ? 'unknown' : 'hidden');
    } catch {}
  }

  judge(
    action: GuardedAction,
    features: readonly GuardedFeature[],
    args: Readonly<Record<string, unknown>>,
  ): MaybePromise<RpcError | undefined> {
    const decided = features.map((feature) => this.#decide(action, this.#ports.targetOf(feature), args));
    const refused = decided.find(({ decision }) => !this.#mayRun(decision, action));
    if (refused !== undefined)
      return settled(() => this.#recordRefusal(refused), denied(refused.decision), notRecorded);
    const [first] = decided;
    if (first?.decision.effect === 'ask') this.#asked = first;
    if (first !== undefined) this.#state = { is: 'allowed', decided: first };
    const charged = this.#permit?.charge?.(args);
    const over = (refusal: RpcError | undefined): RpcError | undefined => refusal && this.#overLimit(refusal);
    return isPromiseLike(charged) ? charged.then(over) : over(charged);
  }

  /** Whether it runs now, or when it is approved. */
  #mayRun({ effect }: Decision, action: PolicyAction): boolean {
    return effect === 'allow' || (effect === 'ask' && action === 'call' && this.#ports.approvals !== undefined);
  }

  get needsApproval(): boolean {
    return this.#asked !== undefined;
  }

  async approve(call: ApprovableCall): Promise<RpcError | Done | undefined> {
    const { approvals, policy } = this.#ports;
    const asked = this.#asked;
    if (asked === undefined || approvals === undefined) return undefined;
    const { request, decision, target, decidedArguments } = asked;
    const { principal, address } = request.caller;
    const args = decidedArguments ?? {};
    const outcome = await approveCall(
      approvals,
      {
        caller: request.caller,
        tool: target.tool ?? '',
        sent: request.arguments ?? {},
        ...validatedArguments(decidedArguments, request.arguments ?? {}),
        decision,
        who: whoOf(request.caller),
        what: whatOf(asked),
        decideAgain: () => policy.evaluate({ principal, address, action: 'call', target, arguments: args }),
      },
      call,
    );
    // Its handler runs now: a guard that was asked twice would use two approvals.
    if (outcome === undefined) this.#asked = undefined;
    return outcome;
  }

  /** The arguments were decided about when the task was created, and are in each attempt. */
  judgeTask(feature: GuardedFeature): MaybePromise<RpcError | undefined> {
    const target = this.#ports.targetOf(feature);
    const request = this.#request;
    if (mayCall(this.#ports, request.caller, target)) {
      this.#state = {
        is: 'allowed',
        decided: { request, action: 'call', target, decidedArguments: undefined, decision: undefined },
      };
      return undefined;
    }
    const refused = this.#decide('call', target, undefined);
    return settled(() => this.#recordRefusal(refused), denied(refused.decision), notRecorded);
  }

  start(): MaybePromise<RpcError | undefined> {
    const { audit } = this.#ports;
    if (this.#state.is !== 'allowed') return undefined;
    const { decided } = this.#state;
    // Set now: the call may end before its record is written, such as by its time limit.
    this.#state = { is: 'started', decided };
    if (audit === undefined) return undefined;
    const failed = (cause: unknown): RpcError | undefined => {
      this.#state = { is: 'ended' };
      return notRecorded(cause);
    };
    return settled(() => audit.begin(startEvent(decided)), undefined, failed);
  }

  judgeRequest(action: 'sample' | 'elicit'): RpcError | undefined {
    const target = 'decided' in this.#state ? this.#state.decided.target : this.#ports.targetOf({});
    const decided = this.#decide(action, target, undefined);
    if (decided.decision.effect === 'allow') return undefined;
    // The handler gets the error at once; the log retains what it cannot write yet.
    runSafely(() => this.#recordRefusal(decided));
    return denied(decided.decision);
  }

  announced(task: GuardedTask): void {
    this.#request = { ...this.#request, task };
    this.#permit?.release();
    this.#permit = undefined;
  }

  settle(outcome: CallOutcome | RpcError): MaybePromise<RpcError | undefined> {
    const state = this.#state;
    this.#state = { is: 'ended' };
    this.#permit?.release();
    const { audit } = this.#ports;
    if (audit === undefined) return undefined;
    if (state.is === 'arrived' && outcome instanceof RpcError && isChallenge(outcome))
      return settled(() => this.#recordChallenge(outcome), undefined, notRecorded);
    if (state.is !== 'started') return undefined;
    return settled(() => audit.append(endEvent(this.#request, outcome)), undefined, endNotRecorded);
  }

  #decide(action: PolicyAction, target: PolicyTarget, args: DecidedCall['decidedArguments']): DecidedCall {
    const request = this.#request;
    const { principal, address } = request.caller;
    const decision = this.#ports.policy.decide({
      principal,
      address,
      action,
      target,
      ...(args && { arguments: args }),
    });
    return { request, action, target, decidedArguments: args, decision };
  }

  /** The credentials of the request are not enough for the call. */
  #recordChallenge(refused: RpcError): MaybePromise<void> {
    const { audit } = this.#ports;
    const { principal, address } = this.#request.caller;
    if (principal === undefined) return audit?.countRefusal(address || 'unknown', refused.reason);
    return audit?.append(challengeEvent(this.#request, refused));
  }

  /** Callers without a principal are counted: they could fill the log otherwise. */
  #recordRefusal(decided: DecidedCall, absent?: AbsentFeature): MaybePromise<void> {
    const { audit } = this.#ports;
    const { principal, address } = this.#request.caller;
    if (principal === undefined) return audit?.countRefusal(address || 'unknown', 'permission-denied');
    return audit?.append(refusedEvent(decided, absent));
  }
}

/** Whether a caller may call a tool with some arguments, at once or when it is approved. */
export function mayCall(
  { policy, approvals }: Pick<GuardPorts, 'policy' | 'approvals'>,
  { principal, address }: GuardedCaller,
  target: PolicyTarget,
): boolean {
  const request = { principal, address, action: 'call', target } as const;
  const effects = policy.possibleEffects(request, { arguments: true, claims: false });
  return effects.includes('allow') || (approvals !== undefined && effects.includes('ask'));
}

/** The value once a record is written, or the error for one that cannot be. */
function settled<T>(record: () => MaybePromise<void>, value: T, failed: (cause: unknown) => T): MaybePromise<T> {
  const recorded = startOperation(record);
  return isPromiseLike(recorded) ? recorded.then(() => value, failed) : value;
}

const texts = {
  deny: 'The policy of the server does not allow this.',
  ask: 'The policy of the server requires the consent of a user, which a server cannot ask for.',
} as const;

/** The decision is named, and not explained: the explanation is for those who run the server. */
function denied({ decisionId, effect }: Decision): RpcError | undefined {
  const reason = effect === 'ask' ? 'consent-required' : 'denied';
  return rpcError('permission-denied', effect === 'ask' ? texts.ask : texts.deny, { decisionId, reason });
}

const notRecorded = (cause: unknown): RpcError | undefined =>
  rpcError(
    'audit-unavailable',
    'The server cannot record this call. Try again later.',
    { ...notStartedData, retryAfterMs: 1000 },
    cause,
  );

/** The handler has run: a client must not repeat the call by itself. */
const endNotRecorded = (cause: unknown): RpcError | undefined =>
  rpcError('audit-unavailable', 'The call has run, and the server cannot record its end.', cutOffData, cause);
