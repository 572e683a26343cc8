/** Enterprise-managed authorization: the identity provider of a company decides which servers a person may use (ID-JAG). */
import * as oauth from 'oauth4webapi';
import { readOptions } from '../../../lib/options/read-options.ts';
import { findServerMetadata } from '../discovery/server-metadata.ts';
import { authenticationOf, methodsOf, type OAuthClient } from '../registration/client.ts';
import { jwtBearer, readAssertion } from './assertion.ts';
import { asGrant, type Grant, type GrantContext } from './grant.ts';
import { enterpriseManagedOptions } from './options.table.ts';
import type { EnterpriseManagedOptions } from './options.ts';

const tokenType = (name: string): string => `urn:ietf:params:oauth:token-type:${name}`;
const exchange = 'urn:ietf:params:oauth:grant-type:token-exchange';
const exchangeRule = 'RFC 8693: the ID token is exchanged for an ID-JAG';

/**
 * Gets tokens for a person without asking them: the identity provider of their company exchanges their ID token for an
 * assertion (ID-JAG), and the authorization server of the MCP server exchanges that for tokens.
 *
 * @example
 * ```ts
 * const grant = enterpriseManaged({ idpIssuer: 'https://login.company.example', idpClient: { clientId: 'assistant' }, idToken });
 * ```
 */
export function enterpriseManaged(options: EnterpriseManagedOptions): Grant {
  const of = 'enterpriseManaged()';
  const otherNames = { issuer: 'idpIssuer', client: 'idpClient' };
  const settings = readOptions(of, enterpriseManagedOptions, options, otherNames);
  return asGrant({
    grantTypes: [jwtBearer],
    asksPerson: false,
    async obtain(context) {
      const { scopes } = context;
      requireProfile(context);
      const client = await context.client([]);
      const assertion = await idJag(context, settings);
      const tokens = await context.requestToken(client, {
        step: 'token',
        grantType: jwtBearer,
        parameters: { assertion, ...(scopes !== undefined && { scope: scopes.join(' ') }) },
        scopes,
        rule: 'RFC 7523, 2.1: the ID-JAG is exchanged for a token',
        isAdaptable: false,
      });
      return { client, tokens, scopes };
    },
  });
}

const profile = 'urn:ietf:params:oauth:grant-profile:id-jag';

/** An authorization server that lists its profiles without this one would refuse the assertion. */
function requireProfile({ server, steps }: GrantContext): void {
  const { issuer: url, authorization_grant_profiles_supported: profiles } = server;
  if (!Array.isArray(profiles) || profiles.includes(profile)) return;
  throw steps.failure({
    step: 'server-metadata',
    url,
    found: 'Its authorization_grant_profiles_supported has no id-jag.',
    rule: 'Enterprise-managed authorization: the authorization server lists the profile',
    hint: 'The server does not take part in enterprise-managed authorization: let the person sign in.',
  });
}

/** The identity assertion of the identity provider, for one authorization server and one resource. */
async function idJag(
  context: GrantContext,
  { idpIssuer, idpClient, idToken }: EnterpriseManagedOptions,
): Promise<string> {
  const { server, resource, scopes, steps } = context;
  const idp = await findServerMetadata(context, idpIssuer);
  if (idp === undefined)
    throw steps.failure({
      step: 'server-metadata',
      url: idpIssuer,
      found: 'The identity provider has no metadata.',
      rule: exchangeRule,
      hint: 'Check idpIssuer of enterpriseManaged().',
    });
  const need = { audience: idpClient.clientId, issuer: server.issuer, resource };
  const parameters = {
    requested_token_type: tokenType('id-jag'),
    subject_token: await readAssertion(context, idToken, need, 'idToken'),
    subject_token_type: tokenType('id_token'),
    audience: server.issuer,
    resource,
    ...(scopes !== undefined && { scope: scopes.join(' ') }),
  };
  const url = idp.token_endpoint;
  const failed = (found: string, status?: number) =>
    steps.failure({
      step: 'token',
      url,
      status,
      found,
      rule: exchangeRule,
      hint: 'Sign in again at the identity provider, or have its administrator allow this server for you.',
    });
  const response = await exchangeRequest(context, idp, idpClient, parameters).catch((error: Error) => {
    if (context.signal.aborted) throw error;
    throw failed(error.message);
  });
  const { status } = response;
  try {
    const own = { client_id: idpClient.clientId };
    const issued = await oauth.processGenericTokenEndpointResponse(idp, own, response, {
      // It is no access token, so its type is N_A.
      recognizedTokenTypes: { n_a: () => {} },
    });
    if (issued.issued_token_type !== tokenType('id-jag')) throw failed('It issued no ID-JAG.', status);
    steps.add({ step: 'token', url, status, found: 'It issued an ID-JAG.', rule: exchangeRule, next: 'exchange it' });
    return issued.access_token;
  } catch (error) {
    // Only the error code: a description may quote what was sent.
    if (error instanceof oauth.ResponseBodyError) throw failed(`It answered ${status}, ${error.error}.`, status);
    if (error instanceof oauth.OperationProcessingError) throw failed('Its response is not valid.', status);
    throw error;
  }
}

function exchangeRequest(
  { fetch, signal }: GrantContext,
  idp: oauth.AuthorizationServer,
  client: OAuthClient,
  parameters: Record<string, string>,
): Promise<Response> {
  const [method = 'none'] = methodsOf(client, idp);
  const own = { client_id: client.clientId };
  return oauth.genericTokenEndpointRequest(idp, own, authenticationOf(client, method), exchange, parameters, {
    [oauth.customFetch]: (to, init) => fetch(to, init as Parameters<typeof fetch>[1]),
    // The fetch decides which URLs are safe.
    [oauth.allowInsecureRequests]: true,
    signal,
  });
}
