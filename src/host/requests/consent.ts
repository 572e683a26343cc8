/** Asks for consent before a tool runs, a model is used or roots are shown. Without consent it does not happen. */
import type { Deadlines } from '../../jsonrpc/deadlines.ts';
import { TenonError } from '../../jsonrpc/errors.ts';
import type {
  CreateMessageRequestParams,
  CreateMessageResult,
  Root,
  Tool,
} from '../../protocol/generated/types/records.ts';
import { isRecord } from '../../protocol/model/primitives.ts';
import type { Fields } from '../../protocol/neutral.ts';
import { withTimeout } from '../with-timeout.ts';
import type { Decision, ReportDecision } from './decisions.ts';

/** Yes; no, with a reason for whoever wanted it; or yes to something else. */
export type ConsentResult<T> = 'allow' | 'deny' | { readonly deny: string } | { readonly edit: T };

interface Pending {
  readonly server: string;
  /** Aborted when nobody waits for the verdict any more. */
  readonly signal: AbortSignal;
}

export interface ToolRequest extends Pending {
  /** The tool, by its name on the server. */
  readonly tool: string;
  readonly arguments: Fields;
  /** How the server describes it, where a list has told. Hints in it are the server's own word. */
  readonly definition: Tool | undefined;
}

export interface SampleRequest extends Pending {
  readonly request: CreateMessageRequestParams;
}

export interface SampledAnswer extends Pending {
  readonly request: CreateMessageRequestParams;
  readonly answer: CreateMessageResult;
}

export interface RootsRequest extends Pending {
  readonly roots: readonly Root[];
}

type Hook<Request, T> = (request: Request) => ConsentResult<T> | Promise<ConsentResult<T>>;

export interface Consent {
  /** Before a tool runs. Its arguments can be edited. */
  readonly tool?: Hook<ToolRequest, Fields>;
  /** Before the model is asked for a server. */
  readonly sample?: Hook<SampleRequest, CreateMessageRequestParams>;
  /** Before a server is given what the model answered; without it the answer is given as it is. */
  readonly sampleResult?: Hook<SampledAnswer, CreateMessageResult>;
  /** Before a server is told of roots. */
  readonly roots?: Hook<RootsRequest, readonly Root[]>;
}

export type ConsentDecision<T> =
  | { readonly is: 'allowed'; readonly value: T }
  | { readonly is: 'denied'; readonly by: Decision['by']; readonly reason: string };

/** What is to be decided: `value` is what happens if it is allowed. */
export interface ConsentQuestion<T> {
  readonly server: string;
  readonly kind: Exclude<Decision['kind'], 'elicit'>;
  readonly value: T;
  readonly tool?: string;
  readonly signal?: AbortSignal | undefined;
  /** Calls the hook with a value that is a copy: what it does to that changes nothing. */
  readonly callHook: ((value: T, signal: AbortSignal) => unknown) | undefined;
  /** Whether an edited value can take the place of the first. */
  readonly fits: (value: unknown) => value is T;
}

export interface ConsentPorts {
  readonly allowsAll: boolean;
  readonly deadlines: Deadlines;
  readonly timeoutMs: number;
  readonly reportDecision: ReportDecision;
  /** Aborted when the host is closed: nothing is allowed any more. */
  readonly closing: AbortSignal;
  fault(server: string, error: unknown): void;
}

export type CheckConsent = <T>(question: ConsentQuestion<T>) => Promise<ConsentDecision<T>>;

export const createConsentCheck = (ports: ConsentPorts): CheckConsent =>
  async function checkConsent<T>(question: ConsentQuestion<T>): Promise<ConsentDecision<T>> {
    const { server, kind, tool, value } = question;
    const { result, by, hookReason } = await askHook(ports, question);
    const isEdited = result.is === 'allowed' && result.value !== value;
    const decision = result.is === 'denied' ? 'deny' : isEdited ? 'edit' : 'allow';
    const request = result.is === 'allowed' ? result.value : value;
    const reason = hookReason === undefined ? {} : { reason: hookReason };
    ports.reportDecision({ server, kind, decision, by, request, ...(tool !== undefined && { tool }), ...reason });
    return result;
  };

interface Ruling<T> {
  readonly result: ConsentDecision<T>;
  readonly by: Decision['by'];
  /** Why, in the words of the hook. */
  readonly hookReason?: string;
}

const denied = <T>(by: Decision['by'], reason: string): Ruling<T> => ({ result: { is: 'denied', by, reason }, by });

async function askHook<T>(
  ports: ConsentPorts,
  { server, value, signal, callHook: ask, fits }: ConsentQuestion<T>,
): Promise<Ruling<T>> {
  if (ports.allowsAll) return { result: { is: 'allowed', value }, by: 'allow-all' };
  if (ask === undefined) return denied('no-hook', 'nobody was there to ask');
  const signals = signal === undefined ? [ports.closing] : [ports.closing, signal];
  const late = new TenonError('timeout', `No verdict came within ${ports.timeoutMs} ms.`);
  const bounds = { deadlines: ports.deadlines, ms: ports.timeoutMs, timedOut: () => late, signals };
  try {
    return readVerdict(await withTimeout(bounds, (own) => ask(structuredClone(value), own)), value, fits);
  } catch (error) {
    if (error === late) return denied('timeout', 'no verdict came in time');
    if (signals.some(({ aborted }) => aborted)) return denied('cancelled', 'the request was given up');
    ports.fault(server, error);
    return denied('failure', 'the verdict failed');
  }
}

function readVerdict<T>(verdict: unknown, value: T, fits: (value: unknown) => value is T): Ruling<T> {
  if (verdict === 'allow') return { result: { is: 'allowed', value }, by: 'hook' };
  if (verdict === 'deny') return denied('hook', 'the user or a rule said no');
  if (isRecord(verdict) && typeof verdict.deny === 'string')
    return { ...denied<T>('hook', verdict.deny), hookReason: verdict.deny };
  if (isRecord(verdict) && fits(verdict.edit))
    return { result: { is: 'allowed', value: structuredClone(verdict.edit) }, by: 'hook' };
  throw new TenonError('callback-failed', 'A consent hook gave something that is no verdict.', {
    hint: "Give 'allow', 'deny', { deny: 'why' } or { edit: what is to happen instead }.",
  });
}
