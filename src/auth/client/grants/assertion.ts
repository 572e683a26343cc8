/** Assertions: signed statements about a workload or a person that are exchanged for tokens (RFC 7521). */
import { withTimeLimit } from '../time-limit.ts';
import type { GrantContext } from './grant.ts';

/** What an assertion is for. */
export interface AssertionNeed {
  /** What the assertion has to have as `aud`. */
  readonly audience: string;
  /** The issuer of the authorization server. */
  readonly issuer: string;
  /** The resource identifier of the MCP server. */
  readonly resource: string;
  /** Aborted when no call waits for it any more. */
  readonly signal: AbortSignal;
}

/** Returns a signed JWT. It is called for every token: assertions live shortly. */
export type GetAssertion = (need: AssertionNeed) => string | PromiseLike<string>;

export const jwtBearer = 'urn:ietf:params:oauth:grant-type:jwt-bearer';

/**
 * Characters of an assertion, which are bounded like tokens.
 * @limit credentials
 * @beyond it is refused
 * @code authorization-failed
 */
const maxChars = 64 * 1024;

/** Rejects with a step that names `option`, and quotes nothing of the assertion. */
export async function readAssertion(
  { steps, signal, signInMs }: GrantContext,
  get: string | GetAssertion,
  need: Omit<AssertionNeed, 'signal'>,
  option: string,
): Promise<string> {
  const failed = (found: string, cause?: unknown) =>
    steps.failure({
      step: 'token',
      found,
      rule: 'RFC 7523, 3: the assertion is a signed JWT',
      hint: `Check ${option}: it has to be, or return, a JWT for ${need.audience}.`,
      ...(cause !== undefined && { cause }),
    });
  let tooLate: Error | undefined;
  const late = (): Error => {
    tooLate = failed(`${option} returned nothing within ${signInMs} ms.`);
    return tooLate;
  };
  let assertion: unknown = get;
  try {
    if (typeof get === 'function')
      assertion = await withTimeLimit(signInMs, signal, late, async (own) => get({ ...need, signal: own }));
  } catch (error) {
    if (signal.aborted || error === tooLate) throw error;
    throw failed(`${option} failed.`, error);
  }
  if (typeof assertion !== 'string' || assertion.length > maxChars || !/^[\w-]+\.[\w-]+\.[\w-]+$/.test(assertion))
    throw failed(`${option} gave no signed JWT.`);
  return assertion;
}
