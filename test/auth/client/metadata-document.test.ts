/** The client id metadata document that an application serves: what is in it, and that an authorization server accepts it. */
import { connect } from 'tenon';
import { type ClientMetadataDocumentOptions, clientMetadataDocument } from 'tenon/auth';
import { describe, expect, it } from 'vitest';
import { redirectUri } from '../../kit/auth/dev-auth.ts';
import { startProtected } from '../../kit/auth/protected-server.ts';

const url = 'https://app.example/oauth/client.json';

describe('clientMetadataDocument', () => {
  it('has client_id, client_name and redirect_uris; client_id is its URL exactly [s-auth-35, s-auth-36, e-auth-77, e-auth-78]', () => {
    const redirectUris = ['https://app.example/callback', 'http://127.0.0.1:8765/callback'];
    const document = clientMetadataDocument({
      url,
      name: 'App',
      redirectUris,
      logoUri: 'https://app.example/logo.png',
    });
    expect(document).toEqual({
      client_id: url,
      client_name: 'App',
      redirect_uris: redirectUris,
      grant_types: ['authorization_code', 'refresh_token'],
      response_types: ['code'],
      token_endpoint_auth_method: 'none',
      application_type: 'web',
      logo_uri: 'https://app.example/logo.png',
    });
    expect(clientMetadataDocument({ url, redirectUris }).client_name).toBe('MCP client');
  });

  it('is accepted by an authorization server, and its URL is the client of the tokens [s-auth-33, s-auth-35, e-auth-77]', async () => {
    const document = clientMetadataDocument({ url, name: 'App', redirectUris: [redirectUri] });
    const server = await startProtected(() => ({ clientDocuments: { [url]: { ...document } } }));
    const auth = server.auth({ clientMetadataUrl: document.client_id });
    const client = await connect({ url: server.url, auth });
    expect((await client.tools.call('whoami')).content).toMatchObject([{ text: 'ada' }]);
    await client.close();
    expect(server.signIns[0]?.searchParams.get('client_id')).toBe(url);
  });

  it.each<[object, RegExp]>([
    [{ redirectUris: [redirectUri] }, /url must be an https URL with a path/],
    [{ url }, /redirectUris must be a list/],
    [{ url, redirectUris: [] }, /redirectUris must be a list/],
    [{ url, redirectUris: [redirectUri, 'com.example.app:/cb'] }, /redirectUris\[1\] is neither an https URL/],
    [{ url: 'https://app.example/', redirectUris: [redirectUri] }, /url must be an https URL with a path/],
    [{ url: 'http://127.0.0.1/client.json', redirectUris: [redirectUri] }, /url must be/],
    [{ url: `${url}#part`, redirectUris: [redirectUri] }, /url must be/],
    [{ url: 'https://me@app.example/client.json', redirectUris: [redirectUri] }, /url must be/],
    [{ url: 'https://app.example/a/../client.json', redirectUris: [redirectUri] }, /url must be/],
    [{ clientId: url, redirectUris: [redirectUri] }, /Did you mean url\?/],
    [{ url, redirectUri }, /Did you mean redirectUris\?/],
    [{ url, redirectUris: [redirectUri], name: '' }, /name must be a string/],
  ])('%j is refused with the fix', (options, text) => {
    expect(() => clientMetadataDocument(options as ClientMetadataDocumentOptions)).toThrow(text);
  });
});
