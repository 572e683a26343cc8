/** What needs consent, and what a consent hook returned about it. */
import { TenonError } from '../../lib/errors/tenon-error.ts';
import { isRecord } from '../../lib/values/is.ts';
import type { Decision } from './decisions.ts';
import type { ConsentDuration, HostPolicyDecision } from './policy.ts';
import { type ConsentSubject, isDuration } from './remembered.ts';

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
  /** Whether an edited value is valid; absent where nothing can be edited. */
  readonly fits?: (value: unknown) => value is T;
  /** What is wrong with an edited value that fits otherwise. */
  readonly editProblem?: (value: T) => string | undefined;
  /** What the policy decided; absent where there is none. */
  readonly permission?: HostPolicyDecision | undefined;
  /** What an answer holds for, if it can be remembered. */
  readonly subject?: ConsentSubject | undefined;
}

export interface HookOutcome<T> {
  readonly result: ConsentDecision<T>;
  readonly by: Decision['by'];
  /** The reason that the hook gave. */
  readonly hookReason?: string;
  /** How long the hook lets it hold. */
  readonly duration?: ConsentDuration;
}

export const denied = <T>(by: Decision['by'], reason: string): HookOutcome<T> => ({
  result: { is: 'denied', by, reason },
  by,
});

/** Throws `callback-failed` for what is no result. */
export function readResult<T>(result: unknown, { kind, value, fits, editProblem }: ConsentRequest<T>): HookOutcome<T> {
  if (result === 'allow') return { result: { is: 'allowed', value }, by: 'hook' };
  if (result === 'deny') return denied('hook', 'it was not allowed');
  const members = isRecord(result) ? Object.keys(result).filter((name) => result[name] !== undefined) : [];
  const only = isRecord(result) && members.length === 1 ? result : {};
  if (typeof only.deny === 'string') return { ...denied<T>('hook', only.deny), hookReason: only.deny };
  if (isDuration(only.allow)) return { result: { is: 'allowed', value }, by: 'hook', duration: only.allow };
  if (fits === undefined || !fits(only.edit)) throw invalidResult(kind, whyInvalid(result, members));
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
