/** Asks the policy about the use of a resource, a prompt or an extension, and the user if a rule says so. */
import { TenonError, type TenonErrorCode } from '../../lib/errors/tenon-error.ts';
import type { ConsentRequest } from '../requests/consent-result.ts';
import { ruleOf } from '../requests/decisions.ts';
import { refuseDenied } from '../requests/permissions.ts';
import type { HostAction, HostActionTarget } from '../requests/policy.ts';
import type { CallPorts } from './ports.ts';

const refusalCodes: Readonly<Record<string, TenonErrorCode>> = {
  cancelled: 'cancelled',
  limit: 'too-many-questions',
  muted: 'server-muted',
};

/** The code of an error about missing consent. */
export const refusalCode = (by: string): TenonErrorCode => refusalCodes[by] ?? 'consent-denied';

export interface PermitRequest<T>
  extends Pick<ConsentRequest<T>, 'kind' | 'value' | 'callHook' | 'fits' | 'signal' | 'subject'> {
  readonly action: HostAction;
  readonly target: HostActionTarget;
  /** Begins the message of an error, such as "The resource was not read". */
  readonly what: string;
  /** The arguments in a value, for the conditions of rules. */
  readonly argumentsOf?: (value: T) => Readonly<Record<string, unknown>>;
}

/** The value to use. Throws `permission-denied` or `consent-denied`. Without a policy nothing is asked. */
export async function permit<T>(
  { permissions, checkConsent, closed }: CallPorts,
  { action, target, what, argumentsOf, ...request }: PermitRequest<T>,
): Promise<T> {
  const permission = await permissions.decide(action, target, argumentsOf?.(request.value));
  refuseDenied(permission, action, target, what);
  if (permission?.effect !== 'ask') return request.value;
  const { server } = target;
  const result = await checkConsent({ server, ...request, permission });
  if (result.is === 'denied') {
    if (closed.aborted) throw closed.reason;
    const { by, reason } = result;
    const canAsk = by === 'no-hook' && request.kind !== 'request';
    const hint = canAsk ? { hint: `Pass consent: { ${request.kind}: (request) => … } to createHost.` } : {};
    throw new TenonError(refusalCode(by), `${what}: ${reason}.`, {
      ...hint,
      details: { ...target, by, ...ruleOf(permission) },
    });
  }
  // The policy decides again about arguments that a hook edited.
  if (result.value !== request.value && argumentsOf !== undefined) {
    const edited = await permissions.decide(action, target, argumentsOf(result.value));
    refuseDenied(edited, action, target, what);
  }
  return result.value;
}

/** No action of a policy names extensions: to send their requests is to `call` the server itself, not one of its tools. */
export async function permitRequest(
  ports: CallPorts,
  server: string,
  method: string,
  params: Readonly<Record<string, unknown>> | undefined,
  signal: AbortSignal | undefined,
): Promise<void> {
  await permit(ports, {
    action: 'call',
    target: { server },
    what: `The request ${method} was not sent to ${server}`,
    kind: 'request',
    value: params ?? {},
    signal,
    callHook: undefined,
    argumentsOf: (args) => args,
  });
}
