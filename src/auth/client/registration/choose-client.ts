/** Which client signs in: pre-registered, a client id metadata document, a registered one, or one that is registered now. */
import type { AuthorizationServer } from 'oauth4webapi';
import type { CredentialStore } from '../../../store/credential-store.ts';
import type { Discovery } from '../discovery/documents.ts';
import { clientKey, readRecord, replaceRecord } from '../records.ts';
import type { OAuthClient } from './client.ts';
import type { DescribedMetadata } from './metadata.ts';
import { type RegisteredClient, register } from './register.ts';

export interface ClientSources {
  /** The pre-registered client. */
  readonly client: OAuthClient | undefined;
  /** The URL of the client id metadata document. */
  readonly clientMetadataUrl: string | undefined;
  readonly clientMetadata: DescribedMetadata;
  readonly store: CredentialStore;
}

export interface ClientNeed {
  readonly server: AuthorizationServer;
  readonly redirectUris: readonly string[];
  readonly grantTypes: readonly string[];
}

const step = 'registration';

/** Rejects where there is none, and none can be registered. */
export async function chooseClient(
  discovery: Discovery,
  sources: ClientSources,
  need: ClientNeed,
): Promise<OAuthClient> {
  const { steps } = discovery;
  const { server } = need;
  const { client, clientMetadataUrl, clientMetadata: metadata, store } = sources;
  const next = 'request a token';
  if (client !== undefined) {
    if (client.issuer !== undefined && client.issuer !== server.issuer)
      throw steps.failure({
        step,
        found: `The client ${client.clientId} is registered at ${client.issuer}, and the server uses ${server.issuer}.`,
        rule: 'MCP: credentials of one authorization server are not used at another',
        hint: 'Register a client at that authorization server, and pass it as client.',
      });
    steps.add({ step, found: `The client is ${client.clientId}.`, rule: 'MCP: pre-registered', next });
    return client;
  }
  if (clientMetadataUrl !== undefined && server.client_id_metadata_document_supported === true) {
    const rule = 'MCP: client id metadata document';
    steps.add({ step, url: clientMetadataUrl, found: 'Its URL is the client id.', rule, next });
    return { clientId: clientMetadataUrl, issuer: server.issuer };
  }
  const known = await readRecord<RegisteredClient>(store, clientKey(server.issuer));
  if (known !== undefined && isUsable(known, need)) {
    const found = `The client ${known.clientId} was registered before.`;
    steps.add({ step, found, rule: 'MCP: registrations are stored by issuer', next });
    return known;
  }
  if (server.registration_endpoint === undefined) throw steps.failure(noRegistration(server, clientMetadataUrl));
  const registered = await register(discovery, { ...need, metadata });
  await replaceRecord(store, clientKey(server.issuer), () => registered);
  return registered;
}

/** The redirect addresses of the client that was registered last. */
export const registeredRedirectUris = async (store: CredentialStore, issuer: string): Promise<readonly string[]> =>
  (await readRecord<RegisteredClient>(store, clientKey(issuer)))?.redirectUris ?? [];

const isUsable = ({ redirectUris, grantTypes, expiresAt }: RegisteredClient, need: ClientNeed): boolean =>
  need.redirectUris.every((uri) => redirectUris.includes(uri)) &&
  need.grantTypes.every((type) => grantTypes.includes(type)) &&
  (expiresAt === undefined || expiresAt > Date.now());

const noRegistration = ({ issuer }: AuthorizationServer, clientMetadataUrl: string | undefined) =>
  ({
    step,
    found: `${issuer} registers no clients by itself${clientMetadataUrl === undefined ? '' : ', and reads no client id metadata documents'}.`,
    rule: 'MCP: pre-registered, client id metadata document, dynamic registration, in this order',
    hint: 'Register a client at the authorization server by hand, and pass client: { clientId } to oauth().',
  }) as const;
