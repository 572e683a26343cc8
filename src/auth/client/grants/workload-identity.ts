/** Workload identity: a JWT that the platform of a program has signed is exchanged for tokens (RFC 7523). */
import { checkOptions, type Rule, type Rules, wrong } from '../../../lib/options/option-rules.ts';
import { type GetAssertion, jwtBearer, readAssertion } from './assertion.ts';
import { asGrant, type Grant } from './grant.ts';

/** The options of `workloadIdentity()`. */
export interface WorkloadIdentityOptions {
  /** The JWT of the workload, or a function that returns one for `audience`, which is the token endpoint. */
  readonly assertion: string | GetAssertion;
}

export const assertionRule: Rule = {
  holds: (value) => typeof value === 'function' || (typeof value === 'string' && value !== ''),
  must: 'be a JWT, or a function that returns one',
};
const rules: Rules & Record<keyof WorkloadIdentityOptions, Rule> = { assertion: assertionRule };

/**
 * Gets tokens with an assertion of the platform, such as a Kubernetes service account token. A refused assertion is not
 * sent again.
 *
 * @example
 * ```ts
 * const auth = oauth({ client: { clientId: 'reports' }, grant: workloadIdentity({ assertion: tokenFile(path) }) });
 * ```
 */
export function workloadIdentity(options: WorkloadIdentityOptions): Grant {
  checkOptions('workloadIdentity()', options, rules, 'invalid-argument', { jwt: 'assertion', token: 'assertion' });
  const { assertion: given } = options;
  if (given === undefined) throw wrong('workloadIdentity()', 'assertion', assertionRule.must);
  return asGrant({
    grantTypes: [jwtBearer],
    asksPerson: false,
    async obtain(context) {
      const { server, resource, scopes } = context;
      const { issuer, token_endpoint: audience = issuer } = server;
      const client = await context.client([]);
      const assertion = await readAssertion(context, given, { audience, issuer, resource }, 'assertion');
      const tokens = await context.requestToken(client, {
        step: 'token',
        grantType: jwtBearer,
        parameters: { assertion, ...(scopes !== undefined && { scope: scopes.join(' ') }) },
        scopes,
        rule: 'RFC 7523, 2.1: the assertion of the workload is exchanged',
        isAdaptable: false,
      });
      return { client, tokens, scopes };
    },
  });
}
