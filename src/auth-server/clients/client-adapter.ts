/** The storage of clients, as oidc-provider asks for it: the known ones, and those whose ID is their metadata. */
import type { Parts } from '../parts.ts';
import type { Metadata } from './client-metadata.ts';

export function createClientAdapter({ settings, clients }: Pick<Parts, 'settings' | 'clients'>) {
  const known = new Map<string, Metadata>(
    settings.clients.known.map(({ clientId, name, redirectUris, clientSecret }) => [
      clientId,
      {
        client_id: clientId,
        client_name: name,
        redirect_uris: [...redirectUris],
        token_endpoint_auth_method: clientSecret === undefined ? 'none' : 'client_secret_basic',
        ...(clientSecret !== undefined && { client_secret: clientSecret }),
      },
    ]),
  );
  const isRegistrable = settings.clients.registration;
  return {
    find: async (id: string): Promise<Metadata | undefined> =>
      known.get(id) ?? (isRegistrable ? clients.find(id) : undefined),
    /** The ID of a registered client has its metadata. */
    upsert: async (): Promise<void> => {},
  };
}
