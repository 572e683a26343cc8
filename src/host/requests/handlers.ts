/** The handlers for the requests of one server. All servers share one model, one user and the roots. */
import { type ClientHandlers, type ElicitFormResult, withoutUndefined } from '../../client/answers/handlers.ts';
import { withDefaults } from '../../lib/options/read-options.ts';
import type { Deadlines } from '../../lib/time/deadlines.ts';
import { isRecord } from '../../lib/values/is.ts';
import { rpcError } from '../../protocol/errors.ts';
import { isElicited } from '../../protocol/generated/result-kinds.ts';
import type { ElicitResult, Root } from '../../protocol/generated/types/records.ts';
import type { CheckConsent, Consent } from './consent.ts';
import { type Decision, type ReportDecision, ruleOf } from './decisions.ts';
import type { ElicitationQueue } from './elicitation-queue.ts';
import type { Permissions } from './permissions.ts';
import type { HostPolicyDecision } from './policy.ts';
import type { Questions } from './questions.ts';
import { createRateLimit } from './rate-limit.ts';
import { elicitationLimits, samplingLimits } from './request-options.table.ts';
import type { HostElicitRequest, RequestHandling, RequestSettings } from './request-options.ts';
import { createSampling } from './sampling.ts';

export interface AnswerPorts {
  readonly options: RequestSettings;
  readonly deadlines: Deadlines;
  readonly elicitations: ElicitationQueue;
  readonly permissions: Permissions;
  readonly checkConsent: CheckConsent;
  readonly questions: Questions;
  readonly reportDecision: ReportDecision;
  /** Why a server is not the approved one; always `undefined` without a lock. */
  lockProblem(server: string): Promise<Error | undefined>;
  /** Aborted when the host is closed: no further elicitation is shown. */
  readonly closing: AbortSignal;
}

/** The handlers of a client. It declares only the capabilities that the host has a handler for. */
export function answersFor(server: string, ports: AnswerPorts): ClientHandlers {
  const { options, deadlines, permissions, checkConsent, reportDecision, lockProblem } = ports;
  const { sample, samplingTools, elicit: show, urlElicitation, roots } = options;
  const hooks = hooksOf(options);
  const limits = withDefaults(samplingLimits, limitsFor(server, options.samplingLimits));
  const now = (): number => deadlines.now();
  const elicit = show && elicitFor(server, show, ports, now);
  const rootsLimit = createRateLimit(maxRootsPerMinute, now);
  const oneQuestion = singleFlight(() => rootsFor(server, roots ?? [], hooks, ports));
  return {
    ...(sample && {
      sample: createSampling(server, {
        model: sample,
        hooks,
        limits,
        permissions,
        checkConsent,
        reportDecision,
        lockProblem,
        now,
      }),
      samplingTools,
    }),
    ...(elicit && { elicitForm: (request, { signal }) => elicit({ ...request, mode: 'form', server, signal }) }),
    ...(elicit &&
      urlElicitation && {
        elicitUrl: (request, { signal }) =>
          elicit({ ...request, mode: 'url', server, signal }) as Promise<ElicitResult>,
      }),
    ...(roots !== undefined && {
      async roots() {
        if (rootsLimit()) return oneQuestion();
        await reportDecision({ server, type: 'roots', decision: 'deny', by: 'limit' });
        throw rpcError('rate-limited', `This client allows ${maxRootsPerMinute} requests for roots a minute`);
      },
    }),
  };
}

/**
 * Requests for roots of one server in a minute.
 * @limit host
 * @beyond rejected before consent is asked for
 * @code rate-limited
 */
const maxRootsPerMinute = 300;

/** Requests that come while one is answered get its answer: a server has one open question about roots. */
function singleFlight<T>(run: () => Promise<T>): () => Promise<T> {
  let flight: Promise<T> | undefined;
  return () => {
    flight ??= run().finally(() => {
      flight = undefined;
    });
    return flight;
  };
}

/** The limits that are set, for all servers or for this one. */
const limitsFor = <T extends object>(server: string, limits: T | ((server: string) => T) | undefined): T | undefined =>
  typeof limits === 'function' ? limits(server) : limits;

/** The consent hooks; none with `allow-all`. */
export const hooksOf = ({ consent }: RequestHandling): Consent => (typeof consent === 'object' ? consent : {});

function elicitFor(
  server: string,
  show: NonNullable<RequestHandling['elicit']>,
  { options, elicitations, permissions, questions, reportDecision, lockProblem, closing }: AnswerPorts,
  now: () => number,
) {
  const { maxPerMinute } = withDefaults(elicitationLimits, limitsFor(server, options.elicitationLimits));
  const isAllowed = createRateLimit(maxPerMinute, now);
  return async (request: HostElicitRequest): Promise<ElicitFormResult> => {
    const signal = AbortSignal.any([closing, request.signal]);
    let permission: HostPolicyDecision | undefined;
    const report = (decision: Decision['decision'], by: Decision['by']): Promise<void> => {
      const { message } = request;
      return reportDecision({ server, type: 'elicit', decision, by, request: { message }, ...ruleOf(permission) });
    };
    // Counts before it is queued, so that a server cannot flood the user with forms.
    if (!closing.aborted && !isAllowed()) {
      await report('deny', 'limit');
      throw rpcError('rate-limited', `This client allows ${maxPerMinute} elicitations a minute`);
    }
    if ((await lockProblem(server)) !== undefined) {
      await report('deny', 'lock');
      return { action: 'decline' };
    }
    permission = await permissions.decide('elicit', { server });
    if (permission?.effect === 'deny') {
      await report('deny', 'policy');
      return { action: 'decline' };
    }
    const may = permission?.effect === 'ask' ? questions.begin(server) : undefined;
    if (may === 'limit' || may === 'muted') {
      await report('deny', may);
      return { action: 'decline' };
    }
    let answer: 'allowed' | 'refused' | 'none' = 'none';
    try {
      return await elicitations.run(server, signal, async () => {
        const result = await show({ ...request, signal });
        answer = result?.action === 'accept' ? 'allowed' : 'refused';
        await report(
          result?.action === 'accept' ? 'allow' : 'deny',
          isElicited(withoutUndefined(result)) ? 'user' : 'failure',
        );
        return result;
      });
    } catch (error) {
      await report('deny', signal.aborted ? 'cancelled' : 'failure');
      // The server gets the same result as when the user closes the form.
      if (closing.aborted) return { action: 'cancel' };
      throw error;
    } finally {
      if (may === 'ask') questions.end(server, answer);
    }
  };
}

/** A server without consent gets no roots, nor does one that is not the approved one. */
async function rootsFor(
  server: string,
  roots: NonNullable<RequestHandling['roots']>,
  hooks: Consent,
  { checkConsent, reportDecision, lockProblem }: AnswerPorts,
): Promise<readonly Root[]> {
  if ((await lockProblem(server)) !== undefined) {
    await reportDecision({ server, type: 'roots', decision: 'deny', by: 'lock' });
    return [];
  }
  const value = typeof roots === 'function' ? await roots(server) : roots;
  const callHook =
    hooks.roots && ((roots: readonly Root[], signal: AbortSignal) => hooks.roots?.({ server, roots, signal }));
  const result = await checkConsent<readonly Root[]>({ server, kind: 'roots', value, callHook, fits: isRootList });
  return result.is === 'allowed' ? result.value : [];
}

const isRootList = (value: unknown): value is readonly Root[] =>
  Array.isArray(value) && value.every((root) => isRecord(root) && typeof root.uri === 'string');
