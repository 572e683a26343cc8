/** Makes the client id metadata document of an application: what it serves at the URL that is its client id. */
import { readOptions } from '../../../lib/options/read-options.ts';
import { clientMetadataDocumentOptions } from './metadata.table.ts';
import { type ClientMetadataDocument, type ClientMetadataDocumentOptions, describeClient } from './metadata.ts';

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
  const { url, redirectUris, ...metadata } = readOptions(
    'clientMetadataDocument()',
    clientMetadataDocumentOptions,
    options,
    {
      clientId: 'url',
      client_id: 'url',
      redirectUri: 'redirectUris',
      redirect_uris: 'redirectUris',
      clientName: 'name',
      client_name: 'name',
    },
  );
  return {
    client_id: url,
    ...describeClient(metadata, [...redirectUris], ['authorization_code', 'refresh_token'], 'none'),
  };
}
