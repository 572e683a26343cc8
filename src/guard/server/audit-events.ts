/** The audit events of calls: who called what, what was decided, how it ended. */
import { RpcError } from '../../jsonrpc/errors.ts';
import { isRecord } from '../../lib/values/is.ts';
import type { Settled } from '../../ports/call-outcome.ts';
import type { GuardedCaller, GuardedRequest, GuardedTask } from '../../ports/guard.ts';
import type { Principal } from '../../ports/principal.ts';
import { unchanging } from '../audit/canonical.ts';
import type { AuditEvent, AuditFields } from '../audit/record.ts';
import type { Decision } from '../policy/decision.ts';
import type { PolicyAction, PolicyTarget } from '../policy/rule.ts';
import { recordable, recordedArguments } from './recorded-arguments.ts';

/** The fields of a caller in its records. */
interface CallerFields {
  readonly address: string | undefined;
  readonly who: AuditFields;
  /** In the record of an end, which the one of the start completes. */
  readonly atEnd: AuditFields;
}

/** Of principals whose calls come from one address: their fields, and the text of these, are made once. */
const callers = new WeakMap<Principal, CallerFields>();

/** Absent values are `undefined`: a record leaves them out. Records have their members in this order. */
function fieldsOf({ principal, address }: GuardedCaller): CallerFields {
  const known = principal && callers.get(principal);
  if (known !== undefined && known.address === address) return known;
  const { key, issuer, subject, client, scopes, roles } = principal ?? {};
  const who = unchanging({ address, client, issuer, principal: key, roles, scopes, subject });
  const fields = { address, who, atEnd: unchanging({ address, principal: key }) };
  if (principal !== undefined) callers.set(principal, fields);
  return fields;
}

export const whoOf = (caller: GuardedCaller): AuditFields => fieldsOf(caller).who;

const decisionOf = ({ decisionId, effect, rule, reason }: Decision): AuditFields => ({
  decisionId,
  effect,
  reason,
  rule,
});

/** A call that was allowed; a request about a task has no decision of its own. */
export type AllowedCall = Omit<DecidedCall, 'decision'> & { readonly decision: Decision | undefined };

/** One decision of a policy about a call. */
export interface DecidedCall {
  readonly request: GuardedRequest;
  readonly action: PolicyAction;
  readonly target: PolicyTarget;
  /** The validated arguments that the policy read. */
  readonly decidedArguments: Readonly<Record<string, unknown>> | undefined;
  readonly decision: Decision;
}

/** One literal with its members in order: it is written faster than one that is put together. */
export const whatOf = ({ request: { method, callId, round, task }, action, target }: AllowedCall): AuditFields => {
  const { prompt, resource, server, template, tool } = target;
  return {
    action,
    attempt: task?.attempt,
    callId,
    method,
    prompt,
    // The URI that a template matched holds its variables: it is a private value, as they are.
    resource: template === undefined ? resource : undefined,
    round,
    server,
    taskId: task && recordedId(task),
    template,
    tool,
  };
};

const recordedId = ({ id }: GuardedTask): string => id.slice(0, 200);

/** Why a client got the answer for something that does not exist. */
export type AbsentFeature = 'hidden' | 'unknown';

/** With `absent`, the decision is the one about `list`. */
export const refusedEvent = (decided: DecidedCall, absent?: AbsentFeature): AuditEvent => ({
  kind: 'decision',
  who: whoOf(decided.request.caller),
  what: { ...whatOf(decided), ...(absent && { [absent]: true }) },
  decision: decisionOf(decided.decision),
  private: privateOf(decided),
});

export const startEvent = (decided: AllowedCall): AuditEvent => ({
  kind: 'call-start',
  who: whoOf(decided.request.caller),
  what: whatOf(decided),
  ...(decided.decision && { decision: decisionOf(decided.decision) }),
  private: privateOf(decided),
});

const privateOf = ({ request: { arguments: sent, caller }, target, decidedArguments }: AllowedCall): AuditFields => {
  const { claims = {} } = caller.principal ?? {};
  const { resource, template } = target;
  const recorded = {
    ...recordedArguments(decidedArguments, sent),
    ...(template !== undefined && resource !== undefined && { resource }),
  };
  return Object.keys(claims).length === 0 ? recorded : { ...recorded, claims: recordable(claims) };
};

export function endEvent(request: GuardedRequest, outcome: Settled): AuditEvent {
  const { caller, method, callId, round, task = createdTask(outcome) } = request;
  const taskId = task && recordedId(task);
  const what = { attempt: task?.attempt, callId, method, outcome: outcomeOf(outcome), round, taskId };
  return { kind: 'call-end', who: fieldsOf(caller).atEnd, what };
}

const createdTask = (outcome: Settled): GuardedTask | undefined =>
  outcome instanceof RpcError || outcome.resultType !== 'task' ? undefined : { id: String(outcome.task.taskId) };

function outcomeOf(outcome: Settled): string {
  if (outcome instanceof RpcError) return outcome.reason;
  if (outcome.resultType === 'input_required') return 'input-required';
  if (outcome.resultType === 'task') return 'task';
  return isRecord(outcome.result) && outcome.result.isError === true ? 'tool-error' : 'result';
}

/** A credential was accepted. */
export const acceptedEvent = (principal: Principal, address: string | undefined): AuditEvent => ({
  kind: 'authentication',
  who: whoOf({ principal, address }),
  what: { outcome: 'accepted', ...(principal.expiresAt !== undefined && { expiresAt: principal.expiresAt }) },
});

/** A call was refused since its caller is over a limit. */
export const limitEvent = ({ caller, method, target }: GuardedRequest, { reason, data }: RpcError): AuditEvent =>
  withTarget(method, target, {
    kind: 'limit',
    who: whoOf(caller),
    what: { method, reason, ...(isRecord(data) && { limit: data.limit }) },
  });

/** The credentials of a known principal were refused for a call. */
export const challengeEvent = ({ caller, method, target }: GuardedRequest, { reason, data }: RpcError): AuditEvent =>
  withTarget(method, target, {
    kind: 'authentication',
    who: whoOf(caller),
    what: { outcome: reason, method, ...(isRecord(data) && { scope: data.scope }) },
  });

/** A URI may hold the variables of a template, which nothing has matched yet. */
function withTarget(method: string, target: string, event: AuditEvent): AuditEvent {
  const named = { target: target.slice(0, 200) };
  return method.startsWith('resources/')
    ? { ...event, private: named }
    : { ...event, what: { ...event.what, ...named } };
}
