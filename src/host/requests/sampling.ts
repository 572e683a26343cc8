/** Sampling for many servers with one model: within the limits of each server, and with consent. */
import type { ClientHandlers } from '../../client/answers/handlers.ts';
import { TenonError } from '../../lib/errors/tenon-error.ts';
import { isRecord } from '../../lib/values/is.ts';
import { rpcError } from '../../protocol/errors.ts';
import { isSampled } from '../../protocol/generated/result-kinds.ts';
import type { CreateMessageRequestParams, CreateMessageResult } from '../../protocol/generated/types/records.ts';
import type { CheckConsent, Consent } from './consent.ts';
import type { ConsentDecision } from './consent-result.ts';
import { type ReportDecision, ruleOf } from './decisions.ts';
import type { Permissions } from './permissions.ts';
import type { HostPolicyDecision } from './policy.ts';
import { createRateLimit } from './rate-limit.ts';
import type { RequestHandling, SamplingLimits } from './request-options.ts';

export interface SamplingPorts {
  readonly model: NonNullable<RequestHandling['sample']>;
  readonly hooks: Consent;
  readonly limits: Required<SamplingLimits>;
  readonly permissions: Permissions;
  readonly checkConsent: CheckConsent;
  readonly reportDecision: ReportDecision;
  /** Why a server is not the approved one. */
  lockProblem(server: string): Promise<Error | undefined>;
  now(): number;
}

/** The sampling handler of one server. */
export function createSampling(server: string, ports: SamplingPorts): NonNullable<ClientHandlers['sample']> {
  const { model, hooks, permissions, checkConsent, reportDecision, lockProblem, now } = ports;
  const { maxPerMinute, maxTokens } = ports.limits;
  const isAllowed = createRateLimit(maxPerMinute, now);

  /** Counts before consent is requested, so that a server cannot flood the user with requests. */
  async function count(): Promise<void> {
    if (isAllowed()) return;
    await reportDecision({ server, type: 'sample', decision: 'deny', by: 'limit' });
    throw rpcError('rate-limited', `This client allows ${maxPerMinute} sampling requests a minute`);
  }

  async function checkLock(): Promise<void> {
    const problem = await lockProblem(server);
    if (problem === undefined) return;
    await reportDecision({ server, type: 'sample', decision: 'deny', by: 'lock' });
    throw rejected(problem);
  }

  async function decide(): Promise<HostPolicyDecision | undefined> {
    const permission = await permissions.decide('sample', { server });
    if (permission?.effect !== 'deny') return permission;
    await reportDecision({ server, type: 'sample', decision: 'deny', by: 'policy', ...ruleOf(permission) });
    const { decisionId } = permission;
    throw rejected(
      new TenonError('permission-denied', `The policy denies the sampling request of ${server}.`, {
        hint: `host.explain(${JSON.stringify(decisionId)}) has the details.`,
        details: { server, action: 'sample', decisionId, rule: permission.rule },
      }),
    );
  }

  return async (params, { signal, reportProgress }) => {
    await count();
    await checkLock();
    const permission = await decide();
    const value = params.maxTokens > maxTokens ? { ...params, maxTokens } : params;
    const { sample, sampleResult: sampled } = hooks;
    const callHook =
      sample && ((request: CreateMessageRequestParams, own: AbortSignal) => sample({ server, request, signal: own }));
    const request = allowed(
      await checkConsent({ server, kind: 'sample', value, signal, callHook, fits: isRequest, permission }),
      (reason) => samplingDenied(`The sampling request of ${server} was denied: ${reason}.`, server),
    );
    const answer = await model({ server, request, signal, reportProgress });
    if (sampled === undefined || !isSampled(answer)) return answer;
    const review = (shown: CreateMessageResult, own: AbortSignal): unknown =>
      sampled({ server, request: structuredClone(request), answer: shown, signal: own });
    const result = await checkConsent({
      server,
      kind: 'sampleResult',
      value: answer,
      signal,
      callHook: review,
      fits: isAnswer,
    });
    return allowed(result, (reason) =>
      samplingDenied(`The sampling result for ${server} was denied: ${reason}.`, server),
    );
  };
}

function allowed<T>(result: ConsentDecision<T>, why: (reason: string) => TenonError): T {
  if (result.is === 'allowed') return result.value;
  throw rejected(why(result.reason));
}

/** The server gets a plain rejection; the reason is the cause, for the caller. */
const rejected = (why: Error): Error => rpcError('user-rejected', 'User rejected sampling request', undefined, why);

const samplingDenied = (text: string, server: string): TenonError =>
  new TenonError('consent-denied', text, { details: { server } });

const isRequest = (value: unknown): value is CreateMessageRequestParams =>
  isRecord(value) && Array.isArray(value.messages) && typeof value.maxTokens === 'number';

const isAnswer = (value: unknown): value is CreateMessageResult => isSampled(value);
