/** The client credentials grant: a program acts for itself, without a person. */
import { asGrant, type Grant } from './grant.ts';

/**
 * Gets tokens for the program itself. The `client` of `oauth` authenticates with its secret, or with its private key
 * (`private_key_jwt`), which is better.
 *
 * @example
 * ```ts
 * const auth = oauth({ client: { clientId: 'nightly-job', clientSecret: secret }, grant: clientCredentials() });
 * ```
 */
export const clientCredentials = (): Grant =>
  asGrant({
    grantTypes: ['client_credentials'],
    asksPerson: false,
    async obtain(context) {
      const { scopes } = context;
      const client = await context.client([]);
      if (client.clientSecret === undefined && client.privateKey === undefined)
        throw context.steps.failure({
          step: 'token',
          url: context.server.token_endpoint,
          found: `The client ${client.clientId} has no secret and no key.`,
          rule: 'OAuth 2.1, 4.2: only confidential clients use the client credentials grant',
          hint: 'Pass client: { clientId, clientSecret } or { clientId, privateKey } to oauth().',
        });
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
