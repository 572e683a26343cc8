/** oidc-provider behind a small interface. New signing keys are a new provider: what it stores is in the store. */
import type { ServerResponse } from 'node:http';
import type { JWK } from 'jose';
import type * as OidcProvider from 'oidc-provider';
import type { Client, Interaction, Provider } from 'oidc-provider';
import { createClientAdapter } from '../clients/client-adapter.ts';
import type { Parts } from '../parts.ts';
import { engineScope } from '../resources.ts';
import type { AuthorizationStorage } from '../storage/open-storage.ts';
import { createConfiguration, type EnginePorts } from './configuration.ts';
import { reportEngine } from './engine-events.ts';
import { type ReceivedRequest, replayed } from './received-request.ts';
import { changeResponses } from './responses.ts';

/** What a client is granted. */
export interface NewGrant {
  readonly subject: string;
  readonly client: string;
  readonly resource: string;
  readonly scopes: readonly string[];
  /** Scopes that were requested and not granted: the engine would ask for them again. */
  readonly refused: readonly string[];
}

export interface Engine {
  handle(request: ReceivedRequest): Promise<void>;
  /** The sign-in that the cookies of a browser name. Rejects with `SessionNotFound`. */
  interaction(request: ReceivedRequest): Promise<Interaction>;
  /** Ends the sign-in, and sends the browser back to the client. */
  finish(request: ReceivedRequest, result: unknown): Promise<void>;
  client(id: string): Promise<Client | undefined>;
  grant(grant: NewGrant): Promise<string>;
}

export type EngineModule = typeof OidcProvider;

export function createEngine(
  parts: Parts,
  keys: readonly JWK[],
  ports: Omit<EnginePorts, 'adapter'>,
  storage: Pick<AuthorizationStorage, 'adapter' | 'refreshes'>,
  module: EngineModule,
): Engine {
  const { issuer } = parts;
  const provider = createProvider(parts, keys, { ...ports, adapter: adapterOf(parts, storage) }, module);
  provider.use(storage.refreshes);
  const callback = provider.callback();
  return {
    handle: (request) => callback(replayed(request, issuer), request.response),
    interaction: (request) => provider.interactionDetails(replayed(request, issuer), request.response),
    finish: (request, result) => {
      noStore(request.response);
      return provider.interactionFinished(replayed(request, issuer), request.response, result, {
        mergeWithLastSubmission: false,
      });
    },
    client: (id) => provider.Client.find(id),
    grant({ subject, client, resource, scopes, refused }) {
      const grant = new provider.Grant({ accountId: subject, clientId: client });
      grant.addOIDCScope(engineScope);
      if (scopes.length > 0) grant.addResourceScope(resource, scopes.join(' '));
      if (refused.length > 0) grant.rejectResourceScope(resource, refused.join(' '));
      return grant.save();
    },
  };
}

function createProvider(parts: Parts, keys: readonly JWK[], ports: EnginePorts, module: EngineModule): Provider {
  const provider = new module.Provider(parts.issuer, createConfiguration(parts, keys, ports, module.errors));
  // The host and the protocol are those of the issuer: `replayed` sets them.
  provider.proxy = true;
  changeResponses(provider, parts);
  reportEngine(provider, parts.report);
  return provider;
}

/** Clients are not stored, and there are no sessions: every sign-in asks the user and visits the provider. */
function adapterOf(parts: Parts, { adapter }: Pick<AuthorizationStorage, 'adapter'>): (model: string) => unknown {
  const { known, registration } = parts.settings.clients;
  const clientAdapter = createClientAdapter(known, registration ? parts.clients : undefined);
  return (model) => (model === 'Client' ? clientAdapter : model === 'Session' ? noSessions : adapter(model));
}

const nothing = async (): Promise<undefined> => undefined;
const noSessions = { upsert: nothing, find: nothing, findByUid: nothing, destroy: nothing };

const noStore = (response: ServerResponse): void => void response.setHeader('cache-control', 'no-store');
