/** An authorization server that runs: its store is open, its keys are there, and requests are served. */
import type { JSONWebKeySet, JWK } from 'jose';
import { errorPage, pageHeaders } from '../auth-pages/index.ts';
import { memoryLimits } from '../store/memory.ts';
import type { Store } from '../store/store.ts';
import { createClientDocuments } from './clients/documents.ts';
import { SealedClients } from './clients/sealed-client.ts';
import type { EnginePorts } from './engine/configuration.ts';
import { createEngine, type Engine, type EngineModule } from './engine/engine.ts';
import { createRefreshCheck } from './engine/refresh-check.ts';
import { createEventId, type Report } from './events.ts';
import { maxOpenSignIns } from './flow/stored-sign-ins.ts';
import { AddressLimits } from './limits.ts';
import type { Parts } from './parts.ts';
import { createProviderClient } from './provider-client/create-provider-client.ts';
import { createRequests, type ServeRequest } from './requests.ts';
import type { Resources } from './resources.ts';
import { Secrets } from './secrets.ts';
import type { AuthorizationServerSettings } from './settings.ts';
import { isValid } from './storage/account.ts';
import { openStorage } from './storage/open-storage.ts';
import { createProviderLock } from './storage/provider-lock.ts';
import type { CurrentKeys } from './storage/signing-keys.ts';

/**
 * How long a request to the provider may take.
 * @limit auth-server
 * @default 10 s
 * @beyond an error page, or 503 for a refresh
 */
const providerMs = 10_000;

export interface Running {
  readonly parts: Parts;
  readonly serve: ServeRequest;
  /** The public keys of its tokens. */
  keys(): JSONWebKeySet;
  close(): Promise<void>;
}

export interface StartSettings {
  readonly settings: AuthorizationServerSettings;
  /** As they were passed: tests have more in them. */
  readonly options: object;
  readonly resources: Resources;
  readonly store: Store;
  readonly report: Report;
  readonly module: EngineModule;
}

export async function start({ settings, options, resources, store, report, module }: StartSettings): Promise<Running> {
  const { issuer } = resources;
  const { lifetimes, signIn, fetch } = settings;
  const secrets = new Secrets(settings.secrets);
  const documents = createClientDocuments(settings.clients.documents, options);
  let engine: Engine | undefined;
  const storage = await openStorage({
    store,
    issuer,
    seals: secrets,
    lifetimes,
    schedule: { signingKeyMs: settings.signingKeyMs, publishedKeyMs: settings.publishedKeyMs },
    maxFlows: maxOpenSignIns,
    share: documents.share,
    errors: module.errors,
    current: () => module.Provider.ctx,
    onKeys: ({ keys }) => {
      engine = engineWith(keys);
    },
    report,
  });
  const parts: Parts = {
    settings,
    issuer,
    resources,
    secrets,
    clients: new SealedClients(secrets, issuer),
    store,
    rows: storage.rows,
    accounts: storage.accounts,
    revocations: storage.revocations,
    provider: createProviderClient(signIn, {
      callbackUrl: `${issuer}/callback`,
      timeoutMs: providerMs,
      ...(fetch !== undefined && { fetch }),
    }),
    lock: createProviderLock(store, issuer),
    report,
  };
  const ports: Omit<EnginePorts, 'adapter'> = {
    fetch: documents.fetch,
    isDocumentAllowed: documents.isAllowed,
    async findAccount(subject, clientId, grantedAt) {
      const account = await storage.accounts.read(subject);
      return grantedAt === undefined || isValid(account, clientId ?? '', grantedAt) ? account : undefined;
    },
    checkRefresh: createRefreshCheck(parts, module),
    renderError: createErrorPage(parts),
  };
  const engineWith = (keys: readonly JWK[]): Engine => createEngine(parts, keys, ports, storage, module);
  engine = engineWith(storage.keys.current().keys);
  const limits = new AddressLimits(store.limits ?? memoryLimits(), issuer);
  return {
    parts,
    serve: createRequests(parts, { engine: () => engine as Engine, limits, documents }),
    keys: () => publicKeys(storage.keys.current()),
    async close() {
      storage.close();
      await documents.close();
    },
  };
}

function publicKeys({ keys }: CurrentKeys): JSONWebKeySet {
  return {
    keys: keys.map((key) => {
      const { d: _, ...publicKey } = key;
      return publicKey;
    }),
  };
}

/** The page for a request whose error no client may get, such as one with a redirect URI that is not its own. */
function createErrorPage({ report, settings }: Pick<Parts, 'report' | 'settings'>): EnginePorts['renderError'] {
  return (context, { error, error_description: description }, cause) => {
    const isOurs = error === 'server_error';
    const eventId = isOurs ? createEventId() : undefined;
    if (isOurs) report({ type: 'failed', reason: 'The server failed.', cause, id: eventId });
    const text = isOurs ? 'The server failed. Try again later.' : sentence(description ?? error);
    for (const [name, value] of Object.entries(pageHeaders)) context.set(name, value);
    context.body = errorPage({ text, eventId, texts: settings.texts });
  };
}

const sentence = (text: string): string => `${text.slice(0, 1).toUpperCase()}${text.slice(1)}.`;
