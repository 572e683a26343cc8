/** Makes the client id metadata document of an application: what it serves at the URL that is its client id. */
import { checkOptions, type Rule, type Rules, wrong } from '../../../lib/options/option-rules.ts';
import { isRedirectUri } from '../../secure-url.ts';
import {
  type ClientMetadata,
  type ClientMetadataDocument,
  describeClient,
  metadataRules,
  metadataUrl,
} from './metadata.ts';

/** The options of `clientMetadataDocument()`. */
export interface ClientMetadataDocumentOptions extends ClientMetadata {
  /** The https URL where you serve the document. It is the client id, character by character. */
  readonly url: string;
  /** Where people are redirected to after they signed in: https URLs, or http URLs of this machine. */
  readonly redirectUris: readonly string[];
}

const of = 'clientMetadataDocument()';

const rules: Rules & Record<keyof ClientMetadataDocumentOptions, Rule> = {
  url: metadataUrl,
  redirectUris: {
    holds: (value) => Array.isArray(value) && value.length > 0 && value.every(isRedirectUri),
    must: "be a list such as ['https://app.example/callback'], each https or on this machine",
    entry: (uri) => (isRedirectUri(uri) ? undefined : { problem: 'is neither an https URL nor on this machine' }),
  },
  ...metadataRules,
};

/**
 * Makes the document that describes your application to authorization servers. Serve it as JSON at its `url`, and pass
 * that as `clientMetadataUrl` to `oauth`. Throws `invalid-argument` for a wrong option.
 *
 * @example
 * ```ts
 * const document = clientMetadataDocument({
 *   url: 'https://app.example.com/client.json',
 *   name: 'Example app',
 *   redirectUris: ['https://app.example.com/callback'],
 * });
 * const auth = oauth({ clientMetadataUrl: document.client_id, signIn: { redirectUri: 'https://app.example.com/callback' } });
 * ```
 */
export function clientMetadataDocument(options: ClientMetadataDocumentOptions): ClientMetadataDocument {
  checkOptions(of, options, rules, 'invalid-argument', {
    clientId: 'url',
    client_id: 'url',
    redirectUri: 'redirectUris',
    redirect_uris: 'redirectUris',
    clientName: 'name',
    client_name: 'name',
  });
  const { url, redirectUris, ...metadata } = options;
  for (const name of ['url', 'redirectUris'] as const)
    if (options[name] === undefined) throw wrong(of, name, rules[name].must);
  return {
    client_id: url,
    ...describeClient(metadata, [...redirectUris], ['authorization_code', 'refresh_token'], 'none'),
  };
}
