/** Token exchange: the issuer of a caller's access token gives another one, for a server behind this one (RFC 8693). */
import type { TokenEndpointResponse } from 'oauth4webapi';
import type { GrantContext, TokenGrant } from './grant.ts';

/** What is exchanged. */
export interface TokenExchangeOptions {
  /** The issuer of the access token: it is sent to no other one. */
  readonly issuer: string;
  /** How the issuer names the server, where it knows no `resource`. Default: the resource identifier of the server. */
  readonly audience?: string | undefined;
  /** Returns the access token of the caller. Called for every exchange; an error that it throws is that of the grant. */
  subjectToken(): string;
}

export const exchangeGrant = 'urn:ietf:params:oauth:grant-type:token-exchange';
const accessToken = 'urn:ietf:params:oauth:token-type:access_token';
const jwt = 'urn:ietf:params:oauth:token-type:jwt';
const rule = 'RFC 8693, 2.1: the access token of the caller is exchanged';

/**
 * Gets tokens for the caller of this server, without asking them. There is no refresh token: what the caller may do ends
 * with their own token. A refused token is not sent again.
 */
export const tokenExchange = ({ issuer, audience, subjectToken }: TokenExchangeOptions): TokenGrant => ({
  grantTypes: [exchangeGrant],
  asksPerson: false,
  async obtain(context) {
    const { scopes } = context;
    requireIssuer(context, issuer);
    const client = await context.client([]);
    const { refresh_token: _, ...tokens } = await context.requestToken(client, {
      step: 'token',
      grantType: exchangeGrant,
      parameters: {
        subject_token: subjectToken(),
        subject_token_type: accessToken,
        requested_token_type: accessToken,
        ...(audience !== undefined && { audience }),
        ...(scopes !== undefined && { scope: scopes.join(' ') }),
      },
      scopes,
      rule,
      hasResource: audience === undefined,
      isAdaptable: false,
    });
    requireAccessToken(context, tokens);
    return { client, tokens, scopes };
  },
});

/** The server behind this one names its authorization server: it cannot have the token sent to one of its own. */
function requireIssuer({ server, serverUrl, steps }: GrantContext, issuer: string): void {
  if (server.issuer === issuer) return;
  throw steps.failure({
    step: 'server-metadata',
    url: serverUrl,
    found: `Its authorization server is ${server.issuer}, and the token of the caller is of ${issuer}.`,
    rule: 'RFC 8693: a token is exchanged at its own issuer',
    hint: `Let the server accept tokens of ${issuer}, and name it in its metadata.`,
  });
}

function requireAccessToken({ server, steps }: GrantContext, { issued_token_type: type }: TokenEndpointResponse): void {
  if (type === undefined || type === accessToken || type === jwt) return;
  throw steps.failure({
    step: 'token',
    url: server.token_endpoint,
    found: 'It issued no access token.',
    rule: 'RFC 8693, 2.2.1: issued_token_type',
    hint: 'Let the authorization server issue access tokens for this client.',
  });
}
