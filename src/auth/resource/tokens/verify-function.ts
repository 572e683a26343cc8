/** Verifies tokens by the function `verify` of the user. */
import { TenonError } from '../../../lib/errors/tenon-error.ts';
import { createPrincipal, principalProblem } from '../../../ports/principal.ts';
import type { VerifyToken } from '../options.ts';
import type { Refusal, VerifiedToken } from './access-token.ts';

/** An error of the function may quote the token, so that its text is masked and its cause is not passed on. */
export const byFunction =
  (verify: VerifyToken) =>
  async (token: string): Promise<VerifiedToken | Refusal> => {
    const found = await Promise.resolve(token)
      .then(verify)
      .catch((error: unknown) => {
        const text = (error instanceof Error ? error.message : String(error)).replaceAll(token, '[masked]');
        throw new TenonError('callback-failed', `verify() of protect() failed: ${text}`);
      });
    if (found === undefined || found === null) return { refused: 'The token is not valid' };
    const problem = principalProblem(found) ?? thumbprintProblem(found.jkt);
    if (problem !== undefined)
      throw new TenonError(
        'callback-failed',
        `verify() of protect() returned a principal that is not valid: ${problem}.`,
      );
    const isExpired = found.expiresAt !== undefined && found.expiresAt <= Date.now();
    return isExpired ? { refused: 'The token has expired' } : { principal: createPrincipal(found), jkt: found.jkt };
  };

const thumbprintProblem = (jkt: unknown): string | undefined =>
  jkt === undefined || (typeof jkt === 'string' && jkt !== '') ? undefined : 'jkt must be a text that is not empty';
