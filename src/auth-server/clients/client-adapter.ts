/** The storage of clients, as oidc-provider asks for it: the known ones, and those whose ID is their metadata. */

import type { Metadata } from './client-metadata.ts';
import type { KnownClient } from './known-client.ts';
import type { SealedClients } from './sealed-client.ts';

/** `registered` is absent where clients may not register. */
export function createClientAdapter(knownClients: readonly KnownClient[], registered: SealedClients | undefined) {
  const known = new Map<string, Metadata>(
    knownClients.map(({ clientId, name, redirectUris, clientSecret }) => [
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
  return {
    find: async (id: string): Promise<Metadata | undefined> => known.get(id) ?? registered?.find(id),
    /** The ID of a registered client has its metadata. */
    upsert: async (): Promise<void> => {},
  };
}
