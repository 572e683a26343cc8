/** The OAuth client at one authorization server, and how it authenticates at its endpoints. */
import * as oauth from 'oauth4webapi';
import type { Rule } from '../../../lib/options/option-rules.ts';
import { isRecord } from '../../../lib/values/is.ts';

/** How a client authenticates at the token endpoint. */
export type TokenEndpointAuthMethod = 'none' | 'client_secret_basic' | 'client_secret_post' | 'private_key_jwt';

export const tokenEndpointAuthMethods: readonly TokenEndpointAuthMethod[] = [
  'none',
  'client_secret_basic',
  'client_secret_post',
  'private_key_jwt',
];

/**
 * A client that is registered at an authorization server.
 * @area credentials
 * @of `oauth`
 */
export interface OAuthClient {
  /**
   * The `client_id`.
   */
  readonly clientId: string;
  /**
   * The `client_secret` of a confidential client.
   * @default off
   */
  readonly clientSecret?: string;
  /**
   * The private key of a client that authenticates with `private_key_jwt`.
   * @default off
   * @rule cryptoKey
   */
  readonly privateKey?: CryptoKey;
  /**
   * The `kid` of that key.
   * @default off
   */
  readonly keyId?: string;
  /**
   * How it authenticates at the token endpoint.
   * @default computed what the server supports and the client can
   */
  readonly authMethod?: TokenEndpointAuthMethod;
  /**
   * The issuer of the authorization server that it is registered at. At another one it is not used. Required with
   * `clientSecret`.
   * @default off
   * @rule httpsUrl
   */
  readonly issuer?: string;
}

export const cryptoKey: Rule = { holds: isRecord, must: 'be a CryptoKey, such as importPKCS8() of jose returns' };

/** The methods that a client can use, the preferred one first. */
export function methodsOf(client: OAuthClient, server: oauth.AuthorizationServer): readonly TokenEndpointAuthMethod[] {
  if (client.authMethod !== undefined) return [client.authMethod];
  if (client.privateKey !== undefined) return ['private_key_jwt'];
  if (client.clientSecret === undefined) return ['none'];
  const all = ['client_secret_basic', 'client_secret_post'] as const;
  const listed = all.filter((method) => server.token_endpoint_auth_methods_supported?.includes(method));
  return listed.length === 0 ? all : listed;
}

/** The function of oauth4webapi for a method. */
export function authenticationOf(client: OAuthClient, method: TokenEndpointAuthMethod): oauth.ClientAuth {
  const { clientId, clientSecret = '', privateKey, keyId } = client;
  if (method === 'client_secret_basic') return basic(clientId, clientSecret);
  if (method === 'client_secret_post') return oauth.ClientSecretPost(clientSecret);
  if (method === 'none' || privateKey === undefined) return oauth.None();
  return oauth.PrivateKeyJwt(keyId === undefined ? privateKey : { key: privateKey, kid: keyId });
}

/** oauth4webapi percent-encodes more than the form encoding needs, which servers that do not decode refuse. */
const basic =
  (clientId: string, clientSecret: string): oauth.ClientAuth =>
  (_server, _client, _body, headers) => {
    const pair = [clientId, clientSecret]
      .map((text) => new URLSearchParams([['', text]]).toString().slice(1))
      .join(':');
    headers.set('authorization', `Basic ${btoa(pair)}`);
  };
