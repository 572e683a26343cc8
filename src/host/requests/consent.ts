/** Requests consent before a tool call, sampling, or sending roots. Without consent they are denied. */
import type { Deadlines } from '../../jsonrpc/deadlines.ts';
import { TenonError } from '../../jsonrpc/errors.ts';
import type {
  CreateMessageRequestParams,
  CreateMessageResult,
  Root,
  Tool,
} from '../../protocol/generated/types/records.ts';
import { isRecord } from '../../protocol/model/primitives.ts';
import type { HostPolicyDecision } from '../permissions/policy.ts';
import { withTimeout } from '../with-timeout.ts';
import { type Decision, type ReportDecision, ruleOf } from './decisions.ts';

/** The result of a consent hook: allow, deny (with a reason for the caller), or allow something else instead. */
export type ConsentResult<T> = 'allow' | 'deny' | { readonly deny: string } | { readonly edit: T };

interface Pending {
  /** The name of the server. */
  readonly server: string;
  /** Aborted when the decision is no longer needed. */
  readonly signal: AbortSignal;
}

/** A tool call that needs consent. */
export interface ToolRequest extends Pending {
  /** The name of the tool on the server. */
  readonly tool: string;
  /** The arguments of the call. */
  readonly arguments: Record<string, unknown>;
  /** The tool as the server lists it. Its annotations are claims of the server. */
  readonly definition: Tool | undefined;
}

/** A sampling request that needs consent. */
export interface SampleRequest extends Pending {
  /** The request of the server. */
  readonly request: CreateMessageRequestParams;
}

/** A sampling result that needs consent before the server gets it. */
export interface SampleResult extends Pending {
  /** The request of the server. */
  readonly request: CreateMessageRequestParams;
  /** The result of the model. */
  readonly answer: CreateMessageResult;
}

/** Roots that need consent before the server gets them. */
export interface RootsRequest extends Pending {
  /** The roots that the server would get. */
  readonly roots: readonly Root[];
}

/** A use of a resource that a rule of the policy asks about. */
export interface ResourceRequest extends Pending {
  /** What is done with it. */
  readonly action: 'read' | 'subscribe' | 'complete';
  /** The URI on the server, or the URI template for `complete`. */
  readonly uri: string;
}

/** A use of a prompt that a rule of the policy asks about. */
export interface PromptRequest extends Pending {
  /** What is done with it. */
  readonly action: 'get' | 'complete';
  /** The name of the prompt on the server. */
  readonly prompt: string;
  /** The arguments of the prompt. */
  readonly arguments: Readonly<Record<string, string>>;
}

type Hook<Request, T> = (request: Request) => ConsentResult<T> | Promise<ConsentResult<T>>;

/** Hooks that decide what servers may do. What has no hook is denied, except for `sampleResult`. */
export interface Consent {
  /** Called before a tool call. `{ edit }` replaces the arguments. */
  readonly tool?: Hook<ToolRequest, Record<string, unknown>>;
  /** Called before a sampling request of a server reaches the model. */
  readonly sample?: Hook<SampleRequest, CreateMessageRequestParams>;
  /** Called before a server gets the answer of the model. Without it the answer is sent as it is. */
  readonly sampleResult?: Hook<SampleResult, CreateMessageResult>;
  /** Called before a server gets the roots. */
  readonly roots?: Hook<RootsRequest, readonly Root[]>;
  /** Called before a resource is used that a rule of the policy asks about. */
  readonly resource?: Hook<ResourceRequest, never>;
  /** Called before a prompt is used that a rule of the policy asks about. `{ edit }` replaces the arguments. */
  readonly prompt?: Hook<PromptRequest, Readonly<Record<string, string>>>;
}

export type ConsentDecision<T> =
  | { readonly is: 'allowed'; readonly value: T }
  | { readonly is: 'denied'; readonly by: Decision['by']; readonly reason: string };

/** A request that needs consent. `value` is used if it is allowed. */
export interface ConsentRequest<T> {
  readonly server: string;
  readonly kind: Exclude<Decision['type'], 'elicit'>;
  readonly value: T;
  readonly tool?: string;
  readonly signal?: AbortSignal | undefined;
  /** Calls the hook with a copy of the value, so that changes by the hook have no effect. */
  readonly callHook: ((value: T, signal: AbortSignal) => unknown) | undefined;
  /** Whether an edited value is valid. */
  readonly fits: (value: unknown) => value is T;
  /** What is wrong with an edited value that fits otherwise. */
  readonly editProblem?: (value: T) => string | undefined;
  /** What the policy decided; absent where there is none. */
  readonly permission?: HostPolicyDecision | undefined;
}

export interface ConsentPorts {
  readonly allowsAll: boolean;
  readonly deadlines: Deadlines;
  readonly timeoutMs: number;
  readonly reportDecision: ReportDecision;
  /** Aborted when the host is closed: nothing is allowed any more. */
  readonly closing: AbortSignal;
  warn(server: string, error: unknown): void;
}

export type CheckConsent = <T>(request: ConsentRequest<T>) => Promise<ConsentDecision<T>>;

export const createConsentCheck = (ports: ConsentPorts): CheckConsent =>
  async function checkConsent<T>(consentRequest: ConsentRequest<T>): Promise<ConsentDecision<T>> {
    const { server, kind, tool, value, permission } = consentRequest;
    const { result, by, hookReason } = await requestConsent(ports, consentRequest);
    const isEdited = result.is === 'allowed' && result.value !== value;
    const decision = result.is === 'denied' ? 'deny' : isEdited ? 'edit' : 'allow';
    const request = result.is === 'allowed' ? result.value : value;
    const reason = hookReason === undefined ? {} : { reason: hookReason };
    const named = { ...(tool !== undefined && { tool }), ...reason, ...ruleOf(permission) };
    await ports.reportDecision({ server, type: kind, decision, by, request, ...named });
    return result;
  };

interface HookOutcome<T> {
  readonly result: ConsentDecision<T>;
  readonly by: Decision['by'];
  /** The reason that the hook gave. */
  readonly hookReason?: string;
}

const denied = <T>(by: Decision['by'], reason: string): HookOutcome<T> => ({
  result: { is: 'denied', by, reason },
  by,
});

async function requestConsent<T>(ports: ConsentPorts, request: ConsentRequest<T>): Promise<HookOutcome<T>> {
  const { server, value, signal, callHook } = request;
  if (request.permission?.effect === 'allow') return { result: { is: 'allowed', value }, by: 'policy' };
  if (ports.allowsAll) return { result: { is: 'allowed', value }, by: 'allow-all' };
  if (callHook === undefined) return denied('no-hook', 'there is no consent hook for it');
  const signals = signal === undefined ? [ports.closing] : [ports.closing, signal];
  const late = new TenonError('timeout', `The consent hook did not return within ${ports.timeoutMs} ms.`);
  const bounds = { deadlines: ports.deadlines, ms: ports.timeoutMs, timedOut: () => late, signals };
  try {
    return readResult(await withTimeout(bounds, (own) => callHook(structuredClone(value), own)), request);
  } catch (error) {
    if (error === late) return denied('timeout', 'the consent hook did not return in time');
    if (signals.some(({ aborted }) => aborted)) return denied('cancelled', 'the call was cancelled');
    ports.warn(server, hookFailed(request.kind, error));
    return denied('failure', 'the consent hook failed');
  }
}

const hookFailed = (kind: ConsentRequest<unknown>['kind'], cause: unknown): TenonError =>
  cause instanceof TenonError
    ? cause
    : new TenonError('callback-failed', `The hook consent.${kind} threw. It was denied.`, { cause });

function readResult<T>(result: unknown, { kind, value, fits, editProblem }: ConsentRequest<T>): HookOutcome<T> {
  if (result === 'allow') return { result: { is: 'allowed', value }, by: 'hook' };
  if (result === 'deny') return denied('hook', 'it was not allowed');
  const members = isRecord(result) ? Object.keys(result).filter((name) => result[name] !== undefined) : [];
  const only = isRecord(result) && members.length === 1 ? result : {};
  if (typeof only.deny === 'string') return { ...denied<T>('hook', only.deny), hookReason: only.deny };
  if (!fits(only.edit)) throw invalidResult(kind, whyInvalid(result, members));
  const problem = editProblem?.(only.edit);
  if (problem !== undefined) throw invalidResult(kind, problem);
  return { result: { is: 'allowed', value: structuredClone(only.edit) }, by: 'hook' };
}

/** Names the members of an object, and never its values: they may be secrets. */
function whyInvalid(result: unknown, members: readonly string[]): string {
  if (!isRecord(result)) return `it is ${result === null ? 'null' : Array.isArray(result) ? 'a list' : typeof result}`;
  if (members.length === 1 && members[0] === 'edit') return 'its member `edit` has the wrong shape';
  if (members.length === 1 && members[0] === 'deny') return 'its member `deny` is not a text';
  return members.length === 0 ? 'it is an empty object' : `it is an object with ${members.join(', ')}`;
}

const edits: Readonly<Partial<Record<ConsentRequest<unknown>['kind'], string>>> = {
  tool: '{ edit: arguments } with all arguments of the call',
  sample: '{ edit: request } with the whole request, such as { messages, maxTokens }',
  sampleResult: '{ edit: result } with the whole result, such as { model, role, content }',
  prompt: '{ edit: arguments } with all arguments of the prompt',
  roots: "{ edit: roots } with a list such as [{ uri: 'file:///home/me/project' }]",
};

const invalidResult = (kind: ConsentRequest<unknown>['kind'], why: string): TenonError =>
  new TenonError('callback-failed', `The result of the hook consent.${kind} is not valid: ${why}. It was denied.`, {
    hint: `Return 'allow', 'deny', { deny: 'why' }${kind in edits ? ` or ${edits[kind]}` : ''}.`,
    details: { place: `consent.${kind}` },
  });
