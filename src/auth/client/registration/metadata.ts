/** What a client says about itself: in a registration request, and in its client id metadata document. */
import { isUrl } from '../../../protocol/addresses.ts';
import type { Rule, Rules } from '../../../protocol/option-rules.ts';
import { isLoopback, isSecureUrl } from '../../secure-url.ts';
import type { TokenEndpointAuthMethod } from './client.ts';

/** What a client says about itself when it is registered. */
export interface ClientMetadata {
  /** The name that people see when they sign in. Default `MCP client`. */
  readonly name?: string;
  /** The web page of the client. */
  readonly uri?: string;
  /** The logo of the client. */
  readonly logoUri?: string;
  /** An id of the software, the same for all its installations. */
  readonly softwareId?: string;
  /** The version of the software. */
  readonly softwareVersion?: string;
}

export const text: Rule = {
  holds: (value) => typeof value === 'string' && value !== '',
  must: 'be a text that is not empty',
};
export const httpsUrl: Rule = { holds: isSecureUrl, must: 'be an https URL' };

export const metadataRules: Rules & Record<keyof ClientMetadata, Rule> = {
  name: text,
  uri: httpsUrl,
  logoUri: httpsUrl,
  softwareId: text,
  softwareVersion: text,
};

/** The URL of a client id metadata document: it is compared character by character, so that it has no parts that vary. */
export const metadataUrl: Rule = {
  holds: (value) =>
    typeof value === 'string' &&
    /^https:\/\/[^/?#@]+\/[^#]+$/.test(value) &&
    !/\/\.{1,2}(\/|\?|$)/.test(value) &&
    isUrl(value),
  must: 'be an https URL with a path, without a fragment, a user name or dots as a part of the path',
};

/** Client metadata of RFC 7591. */
export interface DescribedClient {
  readonly client_name: string;
  readonly redirect_uris: readonly string[];
  readonly grant_types: readonly string[];
  readonly response_types: readonly string[];
  readonly token_endpoint_auth_method: TokenEndpointAuthMethod;
  readonly application_type: 'native' | 'web';
  readonly client_uri?: string;
  readonly logo_uri?: string;
  readonly software_id?: string;
  readonly software_version?: string;
}

export function describeClient(
  { name = 'MCP client', uri, logoUri, softwareId, softwareVersion }: ClientMetadata,
  redirectUris: readonly string[],
  grantTypes: readonly string[],
  method: TokenEndpointAuthMethod,
): DescribedClient {
  return {
    client_name: name,
    redirect_uris: redirectUris,
    grant_types: grantTypes,
    response_types: grantTypes.includes('authorization_code') ? ['code'] : [],
    token_endpoint_auth_method: method,
    application_type: redirectUris.every((redirect) => isLoopback(new URL(redirect))) ? 'native' : 'web',
    ...(uri !== undefined && { client_uri: uri }),
    ...(logoUri !== undefined && { logo_uri: logoUri }),
    ...(softwareId !== undefined && { software_id: softwareId }),
    ...(softwareVersion !== undefined && { software_version: softwareVersion }),
  };
}
