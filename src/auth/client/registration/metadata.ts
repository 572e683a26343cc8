/** What a client says about itself: in a registration request, and in its client id metadata document. */

import type { Rule } from '../../../lib/options/option-rules.ts';
import { isUrl } from '../../../lib/text/parse-url.ts';
import { isLoopback, isRedirectUri, isSecureUrl } from '../../secure-url.ts';
import type { TokenEndpointAuthMethod } from './client.ts';

/**
 * What a client says about itself when it is registered.
 * @area credentials
 * @of `oauth`
 */
export interface ClientMetadata {
  /**
   * The name that people see when they sign in.
   * @default 'MCP client'
   */
  readonly name?: string;
  /**
   * The web page of the client.
   * @default off
   * @rule httpsUrl
   */
  readonly uri?: string;
  /**
   * The logo of the client.
   * @default off
   * @rule httpsUrl
   */
  readonly logoUri?: string;
  /**
   * An id of the software, the same for all its installations.
   * @default off
   */
  readonly softwareId?: string;
  /**
   * The version of the software.
   * @default off
   */
  readonly softwareVersion?: string;
}

export const httpsUrl: Rule = { holds: isSecureUrl, must: 'be an https URL' };

/** The URL of a client id metadata document: it is compared character by character, so that it has no parts that vary. */
export const metadataUrl: Rule = {
  holds: (value) =>
    typeof value === 'string' &&
    /^https:\/\/[^/?#@]+\/[^#]+$/.test(value) &&
    !/\/\.{1,2}(\/|\?|$)/.test(value) &&
    isUrl(value),
  must: 'be an https URL with a path, without a fragment, a user name or dots as a part of the path',
};

/**
 * The options of `clientMetadataDocument()`.
 * @area credentials
 * @of `clientMetadataDocument`
 */
export interface ClientMetadataDocumentOptions extends ClientMetadata {
  /**
   * The https URL where you serve the document. It is the client id, character by character.
   * @rule metadataUrl
   */
  readonly url: string;
  /**
   * Where people are redirected to after they signed in: https URLs, or http URLs of this machine.
   * @rule redirectUriList
   */
  readonly redirectUris: readonly string[];
}

export const redirectUriList: Rule = {
  holds: (value) => Array.isArray(value) && value.length > 0 && value.every(isRedirectUri),
  must: "be a list such as ['https://app.example/callback'], each https or on this machine",
  entry: (uri) => (isRedirectUri(uri) ? undefined : { problem: 'is neither an https URL nor on this machine' }),
};

/** A client id metadata document, as JSON has it: client metadata of RFC 7591, and the client id. */
export interface ClientMetadataDocument {
  /** The URL of the document. */
  readonly client_id: string;
  /** The name that people see when they sign in. */
  readonly client_name: string;
  /** Where people are redirected to. */
  readonly redirect_uris: readonly string[];
  /** How the client gets tokens. */
  readonly grant_types: readonly string[];
  /** `code` where people sign in. */
  readonly response_types: readonly string[];
  /** How the client authenticates at the token endpoint. */
  readonly token_endpoint_auth_method: TokenEndpointAuthMethod;
  /** `native` if all redirect addresses are on this machine. */
  readonly application_type: 'native' | 'web';
  /** The web page of the client. */
  readonly client_uri?: string;
  /** The logo of the client. */
  readonly logo_uri?: string;
  /** An id of the software. */
  readonly software_id?: string;
  /** The version of the software. */
  readonly software_version?: string;
}

/** The same for a client that gets its id when it is registered. */
export type DescribedClient = Omit<ClientMetadataDocument, 'client_id'>;

/** With the name that a client has by default. */
export type DescribedMetadata = ClientMetadata & { readonly name: string };

export function describeClient(
  { name, uri, logoUri, softwareId, softwareVersion }: DescribedMetadata,
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
