/** Requests consent before a tool call, sampling, or sending roots. Without consent they are denied. */

import { TenonError } from '../../lib/errors/tenon-error.ts';
import type { Deadlines } from '../../lib/time/deadlines.ts';
import type {
  CreateMessageRequestParams,
  CreateMessageResult,
  Root,
  Tool,
} from '../../protocol/generated/types/records.ts';
import { withTimeout } from '../with-timeout.ts';
import { type ConsentDecision, type ConsentRequest, denied, type HookOutcome, readResult } from './consent-result.ts';
import { type ReportDecision, ruleOf } from './decisions.ts';
import type { ConsentDuration } from './policy.ts';
import type { Questions } from './questions.ts';
import { type ConsentQuestion, type Lifetime, lifetimeOf, type RememberedConsents } from './remembered.ts';

/**
 * The result of a consent hook: allow, allow for longer than one call, deny (with a reason for the caller), or allow
 * something else instead. A rule of the policy limits how long an answer holds; with plain `'allow'` it holds that long.
 */
export type ConsentResult<T> =
  | 'allow'
  | { readonly allow: ConsentDuration }
  | 'deny'
  | { readonly deny: string }
  | { readonly edit: T };

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

/**
 * Hooks that decide what servers may do. What has no hook is denied, except for `sampleResult`.
 * @area host
 */
export interface Consent {
  /**
   * Called before a tool call. `{ edit }` replaces the arguments.
   * @default off
   */
  readonly tool?: Hook<ToolRequest, Record<string, unknown>>;
  /**
   * Called before a sampling request of a server reaches the model.
   * @default off
   */
  readonly sample?: Hook<SampleRequest, CreateMessageRequestParams>;
  /**
   * Called before a server gets the answer of the model. Without it the answer is sent as it is.
   * @default off
   */
  readonly sampleResult?: Hook<SampleResult, CreateMessageResult>;
  /**
   * Called before a server gets the roots.
   * @default off
   */
  readonly roots?: Hook<RootsRequest, readonly Root[]>;
  /**
   * Called before a resource is used that a rule of the policy asks about.
   * @default off
   */
  readonly resource?: Hook<ResourceRequest, never>;
  /**
   * Called before a prompt is used that a rule of the policy asks about. `{ edit }` replaces the arguments.
   * @default off
   */
  readonly prompt?: Hook<PromptRequest, Readonly<Record<string, string>>>;
}

export interface ConsentPorts {
  readonly allowsAll: boolean;
  readonly deadlines: Deadlines;
  readonly timeoutMs: number;
  readonly reportDecision: ReportDecision;
  readonly questions: Questions;
  readonly remembered: RememberedConsents;
  /** Aborted when the host is closed: nothing is allowed any more. */
  readonly closing: AbortSignal;
  warn(server: string, error: unknown): void;
}

export type CheckConsent = <T>(request: ConsentRequest<T>) => Promise<ConsentDecision<T>>;

export const createConsentCheck = (ports: ConsentPorts): CheckConsent =>
  async function checkConsent<T>(consentRequest: ConsentRequest<T>): Promise<ConsentDecision<T>> {
    const { server, kind, tool, value, permission } = consentRequest;
    const outcome = await requestConsent(ports, consentRequest);
    const { result, by, hookReason } = outcome;
    const lifetime = await rememberAnswer(ports, consentRequest, outcome);
    const isEdited = result.is === 'allowed' && result.value !== value;
    const decision = result.is === 'denied' ? 'deny' : isEdited ? 'edit' : 'allow';
    const request = result.is === 'allowed' ? result.value : value;
    const reason = hookReason === undefined ? {} : { reason: hookReason };
    const held = lifetime && { remember: lifetime.isStored ? { forMs: lifetime.forMs } : ('session' as const) };
    const named = { ...(tool !== undefined && { tool }), ...reason, ...ruleOf(permission), ...held };
    await ports.reportDecision({ server, type: kind, decision, by, request, ...named });
    return result;
  };

async function requestConsent<T>(ports: ConsentPorts, request: ConsentRequest<T>): Promise<HookOutcome<T>> {
  const { server, value, callHook, permission, kind, subject } = request;
  if (permission?.effect === 'allow') return { result: { is: 'allowed', value }, by: 'policy' };
  if (ports.allowsAll) return { result: { is: 'allowed', value }, by: 'allow-all' };
  const question = subject && { server, kind, subject, value, permission };
  if (question !== undefined && (await isRemembered(ports, question)))
    return { result: { is: 'allowed', value }, by: 'remembered' };
  if (callHook === undefined) return denied('no-hook', 'there is no consent hook for it');
  // Without a policy every call is a question, and hooks are often rules of a program: it has its own limits.
  if (permission === undefined) return callWithTimeout(ports, request, callHook);
  const may = ports.questions.begin(server);
  if (may === 'muted') return denied('muted', 'the server is muted, since the user refused it too often');
  if (may === 'limit') return denied('limit', 'the server has too many questions for the user');
  let answer: 'allowed' | 'refused' | 'none' = 'none';
  try {
    const outcome = await callWithTimeout(ports, request, callHook);
    if (outcome.by === 'hook') answer = outcome.result.is === 'allowed' ? 'allowed' : 'refused';
    return outcome;
  } finally {
    ports.questions.end(server, answer);
  }
}

async function callWithTimeout<T>(
  ports: ConsentPorts,
  request: ConsentRequest<T>,
  callHook: NonNullable<ConsentRequest<T>['callHook']>,
): Promise<HookOutcome<T>> {
  const { server, value, signal } = request;
  const signals = signal === undefined ? [ports.closing] : [ports.closing, signal];
  const late = new TenonError('timeout', `The consent hook did not return within ${ports.timeoutMs} ms.`);
  const bounds = { deadlines: ports.deadlines, ms: ports.timeoutMs, timedOut: () => late, signals };
  try {
    const result = await withTimeout(bounds, (own) => callHook(structuredClone(value), own));
    return readResult(result, request);
  } catch (error) {
    if (error === late) return denied('timeout', 'the consent hook did not return in time');
    if (signals.some(({ aborted }) => aborted)) return denied('cancelled', 'the call was cancelled');
    ports.warn(server, hookFailed(request.kind, error));
    return denied('failure', 'the consent hook failed');
  }
}

/** A store that fails remembers nothing: the user is asked. */
async function isRemembered({ remembered, warn }: ConsentPorts, question: ConsentQuestion): Promise<boolean> {
  if (question.permission !== undefined && (question.permission.remember ?? 'once') === 'once') return false;
  try {
    return await remembered.allows(question);
  } catch (error) {
    warn(question.server, error);
    return false;
  }
}

async function rememberAnswer<T>(
  { remembered, warn }: ConsentPorts,
  { server, kind, subject, value, permission }: ConsentRequest<T>,
  { result, by, duration }: HookOutcome<T>,
): Promise<Lifetime | undefined> {
  // What a hook edited is not what was asked about.
  if (subject === undefined || by !== 'hook' || result.is !== 'allowed' || result.value !== value) return undefined;
  const lifetime = lifetimeOf(permission && (permission.remember ?? 'once'), duration);
  try {
    if (lifetime !== undefined) await remembered.remember({ server, kind, subject, value, permission }, lifetime);
    return lifetime;
  } catch (error) {
    warn(server, error);
    return undefined;
  }
}

const hookFailed = (kind: ConsentRequest<unknown>['kind'], cause: unknown): TenonError =>
  cause instanceof TenonError
    ? cause
    : new TenonError('callback-failed', `The hook consent.${kind} threw. It was denied.`, { cause });
