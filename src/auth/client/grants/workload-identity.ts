/** Workload identity: a JWT that the platform of a program has signed is exchanged for tokens (RFC 7523). */
import { readOptions } from '../../../lib/options/read-options.ts';
import { jwtBearer, readAssertion } from './assertion.ts';
import { asGrant, type Grant } from './grant.ts';
import { workloadIdentityOptions } from './options.table.ts';
import type { WorkloadIdentityOptions } from './options.ts';

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
  const otherNames = { jwt: 'assertion', token: 'assertion' };
  const { assertion: getAssertion } = readOptions('workloadIdentity()', workloadIdentityOptions, options, otherNames);
  return asGrant({
    grantTypes: [jwtBearer],
    asksPerson: false,
    async obtain(context) {
      const { server, resource, scopes } = context;
      const { issuer, token_endpoint: audience = issuer } = server;
      const client = await context.client([]);
      const assertion = await readAssertion(context, getAssertion, { audience, issuer, resource }, 'assertion');
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
