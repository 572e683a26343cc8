/** The client credentials grant: a program acts for itself, without a person. */
import { asGrant, type Grant } from './grant.ts';

/**
 * Gets tokens for the program itself. The `client` of `oauth` authenticates with its secret, or with its private key
 * (`private_key_jwt`), which is better.
 *
 * @example
 * ```ts
 * const auth = oauth({ client: { clientId: 'nightly-job', clientSecret: secret, issuer }, grant: clientCredentials() });
 * ```
 */
export const clientCredentials = (): Grant =>
  asGrant({
    grantTypes: ['client_credentials'],
    asksPerson: false,
    needsSecret: true,
    async obtain(context) {
      const { scopes } = context;
      const client = await context.client([]);
      const tokens = await context.requestToken(client, {
        step: 'token',
        grantType: 'client_credentials',
        parameters: scopes === undefined ? {} : { scope: scopes.join(' ') },
        scopes,
        rule: 'OAuth 2.1, 4.2: client credentials',
      });
      return { client, tokens, scopes };
    },
  });
